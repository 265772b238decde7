import type { Log } from '../logging/log.ts'
import type { Diagnosis } from './explain.ts'

/** Interval between checks: an alert of an operator may not come later than a block or two. */
const CHECK_INTERVAL_MS = 1_000

/** Interval between warnings while blocks stop: an outage may last for days. */
const WARN_INTERVAL_MS = 60_000

/** Warns once a minute while blocks stop, and logs when they continue. Returns the function that stops it. */
export const startStallWatch = (diagnose: () => Diagnosis, log: Log, nowMs: () => number): (() => void) => {
  let warnedMs: number | undefined
  let stalledMs: number | undefined

  const check = (): void => {
    const { isStalled, kind, sentence } = diagnose()
    const now = nowMs()
    if (!isStalled) {
      if (stalledMs !== undefined && warnedMs !== undefined)
        log.info('Blocks are decided again, {seconds} s after the first warning', {
          seconds: Math.round((now - stalledMs) / 1000),
        })
      warnedMs = undefined
      stalledMs = undefined
      return
    }
    stalledMs ??= now
    // A clock that was set back delays no warning.
    if (warnedMs !== undefined && now - warnedMs < WARN_INTERVAL_MS && now >= warnedMs) return
    warnedMs = now
    log.warn('{explanation}', { explanation: sentence, kind })
  }

  const timer = setInterval(check, CHECK_INTERVAL_MS)
  timer.unref()
  return () => clearInterval(timer)
}
