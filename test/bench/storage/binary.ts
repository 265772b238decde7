import { execFileSync } from 'node:child_process'
import { rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { withFolder } from '../../runtime/folder.ts'
import { ROOT } from '../../runtime/nodeProcess.ts'
import { isInstalled, RUNTIME_COMMANDS } from '../../support/programs/runtimeCommands.ts'
import { until } from '../../support/until.ts'
import { freePorts } from '../../../runtime/devnet/ports.ts'
import { type BenchOptions, median } from '../measure.ts'

const STARTS = 7
const MAIN = join(ROOT, 'runtime/main.ts')

const isAnswering = async (port: number): Promise<boolean> => {
  try {
    return (await fetch(`http://127.0.0.1:${port}/liveness`)).ok
  } catch {
    // Nobody listens yet.
    return false
  }
}

/** Milliseconds until a new development chain answers. */
const startMs = async (command: readonly string[], dataPath: string): Promise<number> => {
  const [port] = (await freePorts(1)) as [number]
  const begunMs = performance.now()
  const child = Bun.spawn([...command, `--data-path=${dataPath}`, `--rpc-http-port=${port}`], {
    cwd: ROOT,
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'inherit',
  })
  try {
    await until(() => isAnswering(port), { pollMs: 2 })
    return performance.now() - begunMs
  } finally {
    child.kill('SIGKILL')
    await child.exited
    rmSync(dataPath, { recursive: true, force: true })
  }
}

const startsOf = async (name: string, command: readonly string[], folder: string): Promise<string> => {
  const times: number[] = []
  for (let start = 0; start <= STARTS; start++) {
    const ms = await startMs(command, join(folder, `${name}-${start}`))
    // The first one reads the program from the disk.
    if (start > 0) times.push(ms)
  }
  return (median(times) / 1000).toFixed(2)
}

/** The size of the binary for this machine, and how long it and the sources take to start. */
export const benchBinary = ({ progress, row }: BenchOptions): Promise<void> =>
  withFolder(async folder => {
    progress('building the binary')
    const target = process.arch === 'arm64' ? 'arm64' : 'x64'
    const build = [join(ROOT, 'runtime/packaging/binary.ts'), folder, target]
    execFileSync(process.execPath, build, { cwd: ROOT, stdio: 'pipe' })
    const binary = join(folder, `quorate-linux-${target}`)
    await row('binary', async () => ({
      name: 'binary',
      values: {
        'size, MB': (statSync(binary).size / 1e6).toFixed(0),
        'start, s': await startsOf('binary', [binary], folder),
      },
    }))
    for (const runtime of ['bun', 'node'] as const) {
      if (!isInstalled(runtime)) continue
      const name = `sources on ${runtime}`
      await row(name, async () => {
        const seconds = await startsOf(runtime, [...RUNTIME_COMMANDS[runtime], MAIN], folder)
        return { name, values: { 'size, MB': '', 'start, s': seconds } }
      })
    }
  })
