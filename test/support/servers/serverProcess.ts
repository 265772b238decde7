import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A real server that one test file starts, stops and starts again. */
export type TestServer = {
  readonly url: string
  /** Kills it as a crash does; its data stays. */
  kill(): Promise<void>
  /** Suspends it, so that it is silent, until `resume`. */
  suspend(): void
  resume(): void
  /** Starts it again on the same port, with its data unless they are lost. */
  start(): Promise<void>
  /** Ends it and removes its folder. */
  remove(): Promise<void>
}

/** Whether a command is installed. */
export const isInstalled = (command: string): boolean =>
  spawnSync('which', [command], { stdio: 'ignore' }).status === 0

/** Says why the tests of a server are skipped; CI installs all of them. */
export const skipMessage = (server: string): void =>
  console.warn(`${server} is not installed: its tests are skipped`)

const START_MS_MAX = 20_000
const PROBE_MS = 20

export type ServerPlan = {
  readonly name: string
  readonly url: string
  readonly command: (folder: string) => readonly string[]
  /** Makes the folder ready, once. */
  readonly prepare?: (folder: string) => void
  /** Resolves when the server answers, rejects while it does not. */
  readonly probe: () => Promise<void>
}

/** Runs a server in a folder of its own. */
export const startServer = async ({
  name,
  url,
  command,
  prepare,
  probe,
}: ServerPlan): Promise<TestServer> => {
  const folder = mkdtempSync(join(tmpdir(), `quorate-${name}-`))
  prepare?.(folder)
  let child: ReturnType<typeof spawn> | undefined
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const running = child
    if (running === undefined || running.exitCode !== null || running.signalCode !== null) return
    const ended = new Promise(resolve => running.once('exit', resolve))
    running.kill(signal)
    await ended
  }
  const start = async (): Promise<void> => {
    const [program = '', ...words] = command(folder)
    child = spawn(program, words, { stdio: 'ignore', cwd: folder })
    const untilMs = performance.now() + START_MS_MAX
    for (;;) {
      try {
        return await probe()
      } catch (error) {
        if (performance.now() > untilMs) throw error
        await new Promise(resolve => setTimeout(resolve, PROBE_MS))
      }
    }
  }
  await start()
  return {
    url,
    kill: () => end('SIGKILL'),
    suspend: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
    start,
    remove: async () => {
      child?.kill('SIGCONT')
      await end('SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
