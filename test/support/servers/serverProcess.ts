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

const START_MS_MAX = 60_000
const PROBE_MS = 20

export type ServerPlan = {
  readonly name: string
  readonly url: string
  readonly command: (folder: string) => readonly string[]
  /** Makes the folder ready, once. */
  readonly prepare?: (folder: string) => void
  /** Resolves when the server answers, rejects while it does not. */
  readonly probe: () => Promise<void>
  /** What makes it end as a crash does, with its own processes; SIGKILL by default. */
  readonly crashSignal?: NodeJS.Signals
}

/** A process and those it started: a server may have one for each connection. */
const withChildren = (pid: number): readonly number[] => [
  pid,
  ...spawnSync('ps', ['-o', 'pid=', '--ppid', `${pid}`], { encoding: 'utf8' })
    .stdout.split(/\s+/)
    .filter(word => word !== '')
    .map(Number),
]

/** Runs a server in a folder of its own. */
export const startServer = async ({
  name,
  url,
  command,
  prepare,
  probe,
  crashSignal = 'SIGKILL',
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
  const signalAll = (signal: NodeJS.Signals): void => {
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
    for (const pid of withChildren(child.pid))
      try {
        process.kill(pid, signal)
      } catch (error) {
        // A child that has just ended: ps itself is one.
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
      }
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
    kill: () => end(crashSignal),
    suspend: () => signalAll('SIGSTOP'),
    resume: () => signalAll('SIGCONT'),
    start,
    remove: async () => {
      signalAll('SIGCONT')
      await end(crashSignal)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
