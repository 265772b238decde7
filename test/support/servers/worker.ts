import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePorts } from '../../../runtime/devnet/ports.ts'
import { ROOT } from '../../runtime/nodeProcess.ts'
import { RUNTIME_COMMANDS } from '../programs/runtimeCommands.ts'

export type WorkerProcess = {
  readonly url: string
  /** Of wrangler; workerd is a process of its own below it. */
  readonly pid: number
  readonly output: () => string
  /** Folder of its stores and of the cache of the data centre. */
  readonly storesFolder: string
  readonly stop: () => Promise<void>
}

export type WorkerOptions = {
  /** Variables of the deployment. */
  readonly variables: Readonly<Record<string, string>>
  /** An environment of wrangler.toml, and variables of the process. */
  readonly environment?: string
  readonly processVariables?: Readonly<Record<string, string>>
}

const START_MS_MAX = 100_000

/** Runs the Worker in workerd by `wrangler dev`, with its stores in a folder of its own. */
export const startWorker = async ({
  variables,
  environment = '',
  processVariables = {},
}: WorkerOptions): Promise<WorkerProcess> => {
  const [port, inspector] = await freePorts(2)
  const folder = mkdtempSync(join(tmpdir(), 'quorate-worker-'))
  const [program, ...words] = RUNTIME_COMMANDS.node
  const child = spawn(
    program,
    [
      ...words,
      join(ROOT, 'node_modules/wrangler/bin/wrangler.js'),
      'dev',
      `--port=${port}`,
      '--ip=127.0.0.1',
      `--inspector-port=${inspector}`,
      `--persist-to=${folder}`,
      '--show-interactive-dev-session=false',
      '--log-level=log',
      `--env=${environment}`,
      ...Object.entries(variables).flatMap(([name, value]) => ['--var', `${name}:${value}`]),
    ],
    {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
      env: { ...process.env, WRANGLER_SEND_METRICS: 'false', CI: 'true', ...processVariables },
    },
  )
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', data => void (output += String(data)))
  const stop = async (): Promise<void> => {
    const ended = new Promise(resolve => child.once('exit', resolve))
    // Its group: workerd is a process of its own.
    if (child.exitCode === null && child.pid !== undefined) {
      process.kill(-child.pid, 'SIGTERM')
      await ended
    }
    rmSync(folder, { recursive: true, force: true })
  }
  const url = `http://127.0.0.1:${port}`
  const untilMs = performance.now() + START_MS_MAX
  for (;;) {
    try {
      await fetch(`${url}/liveness`)
      break
    } catch {
      if (child.exitCode !== null || performance.now() > untilMs) {
        await stop()
        throw new Error(`the Worker does not start: ${output}`)
      }
      await Bun.sleep(50)
    }
  }
  return { url, pid: child.pid as number, output: () => output, storesFolder: folder, stop }
}
