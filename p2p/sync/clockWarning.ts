import type { Log } from '../log.ts'

/** Interval between warnings while the clock stays behind. */
const WARN_INTERVAL_MS = 60_000

/** A smaller difference causes no warning: validators may be a second early. */
const DIFFERENCE_MIN_MS = 2_000

/** Warns of a block from the future. If several nodes accepted it, the local clock is the wrong one. */
export type ClockWarning = (block: { readonly number: bigint; readonly timestamp: bigint }) => void

export const createClockWarning = (log: Pick<Log, 'warn'>, nowMs: () => number): ClockWarning => {
  let warnedMs = Number.NEGATIVE_INFINITY
  return ({ number, timestamp }) => {
    const aheadMs = Number(timestamp) * 1000 - nowMs()
    if (aheadMs < DIFFERENCE_MIN_MS || nowMs() - warnedMs < WARN_INTERVAL_MS) return
    warnedMs = nowMs()
    log.warn(
      'The clock of this machine is behind, or that of a validator ahead: block {number} is {seconds} s in the future. Blocks wait until their time has come. Synchronize the clocks (NTP).',
      { number, seconds: Math.round(aheadMs / 1000) },
    )
  }
}
