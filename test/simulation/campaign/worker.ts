import { loadRun } from '../engines.ts'
import { settingsOf } from '../settings.ts'
import { encodeReport } from './report.ts'

export type Share = {
  readonly from: number
  /** The seed behind the last one. */
  readonly to: number
  /** One seed in so many. */
  readonly step: number
  readonly validators: number | undefined
  /** Ends with the first violation. */
  readonly untilViolation: boolean
}

/** Runs a share of the seeds in this process and writes a line for each. */
export const work = async (
  { from, to, step, validators, untilViolation }: Share,
  write: (line: string) => void,
): Promise<void> => {
  const run = await loadRun()
  for (let seed = from; seed < to; seed += step) {
    const settings = settingsOf(seed, validators)
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
      }),
    )
    if (violation !== undefined && untilViolation) return
  }
}
