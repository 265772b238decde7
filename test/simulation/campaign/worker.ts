import { exit, stdin } from 'node:process'
import { setImmediate } from 'node:timers'
import { loadRun } from '../engines.ts'
import { boundMsOf, type Forgetting, settingsOfForgetting } from '../settings.ts'
import { encodeReport } from './report.ts'

export type Share = {
  readonly from: number
  /** The seed behind the last one. */
  readonly to: number
  /** One seed in so many. */
  readonly step: number
  readonly validators: number | undefined
  readonly forgetting: Forgetting | undefined
  /** Ends with the first violation. */
  readonly untilViolation: boolean
}

const nextTurn = (): Promise<void> =>
  new Promise(resolve => {
    setImmediate(resolve)
  })

/** Nobody reads on once the process that started this one is gone, however it went. */
const endWithParent = (): void => {
  stdin.once('close', () => exit(1))
  stdin.once('end', () => exit(1))
  stdin.resume()
}

/** Runs a share of the seeds in this process and writes a line for each. */
export const work = async (
  { from, to, step, validators, forgetting, untilViolation }: Share,
  write: (line: string) => void,
): Promise<void> => {
  endWithParent()
  const run = await loadRun()
  for (let seed = from; seed < to; seed += step) {
    await nextTurn()
    const settings = settingsOfForgetting(seed, validators, forgetting)
    const { violation, steps, heights, virtualMs, faults, recoveryMs } = run(settings)
    write(
      encodeReport({
        seed,
        violation,
        steps,
        heights,
        virtualMs,
        recoveryMs,
        faults: [...faults],
        attackers: settings.attacks,
        boundMs: boundMsOf(settings.requestTimeoutMs),
      }),
    )
    if (violation !== undefined && untilViolation) return
  }
}
