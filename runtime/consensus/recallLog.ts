import type { Effect } from '../../core/qbft/effect.ts'
import type { Log } from '../logging/log.ts'

/** A network whose nodes start one after the other needs no line. */
const QUIET_MS = 5_000
/** Between two lines while the others are away. */
const WAITING_INTERVAL_MS = 30_000

export type RecallLog = (effect: Extract<Effect, { readonly kind: 'recall' }>) => void

/** What operators read of a validator that started and does not sign yet. */
export const createRecallLog = (log: Log, nowMs: () => number = Date.now): RecallLog => {
  let dueMs = nowMs() + QUIET_MS
  return ({ sequence, round, told, needed }) => {
    if (round !== undefined) {
      if (round > 0)
        log.info('This validator signs again, in block {sequence} from round {round} on', { sequence, round })
      return
    }
    if (nowMs() < dueMs) return
    dueMs = nowMs() + WAITING_INTERVAL_MS
    log.warn(
      'This validator signs nothing yet: {told} other validators have told where they are, of {needed} at least, and it must come level with them',
      { told, needed },
    )
  }
}
