import type { Effect } from '../../../core/qbft/effect.ts'
import type { Log } from '../../logging/log.ts'

/** No warning within this time after the start: the nodes of a network often start one after the other. */
const QUIET_MS = 5_000
/** Interval between warnings while other validators are unreachable. */
const WAITING_INTERVAL_MS = 30_000

export type RecallLog = (effect: Extract<Effect, { readonly kind: 'recall' }>) => void

/** Logs that a starting validator does not sign yet, and from which round it does. */
export const createRecallLog = (log: Log, nowMs: () => number = Date.now): RecallLog => {
  let dueMs = nowMs() + QUIET_MS
  return ({ sequence, round, reported, needed }) => {
    if (round !== undefined) {
      if (round > 0)
        log.info('This validator signs messages from round {round} of block {sequence} on', {
          sequence,
          round,
        })
      return
    }
    if (nowMs() < dueMs) return
    dueMs = nowMs() + WAITING_INTERVAL_MS
    log.warn(
      'This validator signs nothing yet: {reported} other validators have reported their height and round, at least {needed} are needed, and it must catch up with them',
      { reported, needed },
    )
  }
}
