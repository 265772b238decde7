import { join } from 'node:path'
import { collectOutput } from './collectOutput.ts'
import { RUNTIME_COMMANDS } from './runtimeCommands.ts'
import { until } from '../until.ts'

const ROOT = join(import.meta.dir, '../../..')
const PRELOAD = join(import.meta.dir, 'killAtWrite.ts')
const [NODE] = RUNTIME_COMMANDS.node

const START_MS_MAX = 120_000

export type KilledRun = {
  readonly signal: string | number | null
  /** Writes of the whole run; 0 for one that was killed. */
  readonly writes: number
  readonly output: string
}

export type RunKilledOptions = {
  readonly args: readonly string[]
  /** The write before which it is killed, counted from 1; 0 to let it end. */
  readonly killAt: number
  /** Folder of compiled sources, which later runs share. */
  readonly cache: string
  /** Ends a node that is not killed, by SIGTERM, when its output has this text. */
  readonly stopAt?: string
  /** Kills it after that time, if it has not made so many writes. */
  readonly runMsMax?: number
}

/** Runs a command line on Node, and kills it by SIGKILL before one of its writes. */
export const runKilled = async ({
  args,
  killAt,
  cache,
  stopAt,
  runMsMax,
}: RunKilledOptions): Promise<KilledRun> => {
  const child = Bun.spawn([NODE, `--import=${PRELOAD}`, join(ROOT, 'runtime/main.ts'), ...args], {
    cwd: ROOT,
    env: { ...process.env, KILL_AT: String(killAt), NODE_COMPILE_CACHE: cache, NO_COLOR: '1' },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    ...(runMsMax === undefined ? {} : { timeout: runMsMax, killSignal: 'SIGKILL' as const }),
  })
  const output = collectOutput(child)
  if (killAt === 0 && stopAt !== undefined) {
    await until(() => output().includes(stopAt) || child.exitCode !== null, { timeoutMs: START_MS_MAX })
    child.kill('SIGTERM')
  }
  await child.exited
  // What it wrote at its end may arrive after it.
  await until(() => killAt > 0 || /^writes=\d+$/m.test(output()))
  // Each thread counts for itself; the main one writes.
  const counts = [...output().matchAll(/^writes=(\d+)$/gm)].map(([, count]) => Number(count))
  return { signal: child.signalCode, writes: Math.max(0, ...counts), output: output() }
}

/**
 * The writes before which a test kills: `few` of them, evenly spread; every one with KILLS=all, and with KILLS=2/5 every fifth
 * from the second on.
 */
export const killPoints = (writes: number, few: number): readonly number[] => {
  const kills = process.env['KILLS']
  if (kills === undefined)
    return Array.from({ length: few }, (_, index) => 1 + Math.floor((index * writes) / few))
  const [first = 1, step = 1] = kills === 'all' ? [] : kills.split('/').map(Number)
  return Array.from({ length: writes }, (_, index) => index + 1).filter(
    at => at >= first && (at - first) % step === 0,
  )
}
