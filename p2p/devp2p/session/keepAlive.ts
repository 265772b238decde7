import { EMPTY_LIST } from '../../../core/rlp/list.ts'
import { PING } from '../base/messages.ts'
import { abortSession, disconnectSession } from './ending.ts'
import type { Session, Stage } from './session.ts'

/** Idle time after which a ping is sent, as in Besu and GoQuorum. */
const PING_AFTER_MS = 15_000
/** A peer that sent nothing for this long counts as gone: both clients answer a ping within 15 s. */
const SILENCE_MAX_MS = 30_000
/** A peer that does not read for this long is disconnected. */
const STALL_MAX_MS = 20_000
/** Time limits for the hello, the status and the header of the head, counted from the handshake on. */
const STAGE_MS: Readonly<Partial<Record<Stage, number>>> = { hello: 5_000, status: 10_000, head: 30_000 }

/** Pings, and ends a connection that is silent, stalled, or too slow in its handshake. To be called once a second. */
export const superviseSession = (session: Session, now: number): void => {
  const { stage, openedAtMs, receivedAtMs, outbox } = session
  if (stage === 'closing') return
  const limitMs = STAGE_MS[stage]
  if (limitMs !== undefined && now - openedAtMs > limitMs)
    return void disconnectSession(session, 'timeout', `no ${stage} within ${limitMs / 1000} s`)
  if (now - receivedAtMs > SILENCE_MAX_MS)
    return void disconnectSession(session, 'timeout', `silent for ${SILENCE_MAX_MS / 1000} s`)
  if (outbox.stalledSinceMs !== undefined && now - outbox.stalledSinceMs > STALL_MAX_MS)
    return abortSession(session, `it has not read for ${STALL_MAX_MS / 1000} s`)
  if (stage === 'hello' || session.pingSentAtMs !== undefined || now - receivedAtMs < PING_AFTER_MS) return
  session.pingSentAtMs = now
  outbox.send('base', { id: PING, payload: EMPTY_LIST })
}
