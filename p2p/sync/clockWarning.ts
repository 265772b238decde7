import type { Log } from '../log.ts'

/** Interval between warnings while the clock stays behind. */
const WARN_INTERVAL_MS = 60_000

/** Blocks this much ahead of the clock say that it is behind: validators may be a second early. */
const BEHIND_MS_MIN = 2_000

/** Warns of a block from the future: where several nodes made it, the own clock is the wrong one. */
export type ClockWarning = (block: { readonly number: bigint; readonly timestamp: bigint }) => void

export const createClockWarning = (log: Pick<Log, 'warn'>, nowMs: () => number): ClockWarning => {
  let warnedMs = Number.NEGATIVE_INFINITY
  return ({ number, timestamp }) => {
    const aheadMs = Number(timestamp) * 1000 - nowMs()
    if (aheadMs < BEHIND_MS_MIN || nowMs() - warnedMs < WARN_INTERVAL_MS) return
    warnedMs = nowMs()
    log.warn(
      'The clock of this machine is behind, or that of a validator ahead: block {number} is {seconds} s in the future. Blocks wait until their time has come. Synchronize the clocks (NTP).',
      { number, seconds: Math.round(aheadMs / 1000) },
    )
  }
}
