import { EMPTY_LIST } from '../../../core/rlp/list.ts'
import { boundedWait } from '../../boundedWait.ts'
import { PING } from '../base/messages.ts'
import type { Session } from './session.ts'

/** Besu and GoQuorum answer a ping at once. */
const ANSWER_MS = 2_000

/** True if the other side answers a ping in time: its process runs, and the connection carries messages. */
export const answersPing = async (session: Session): Promise<boolean> => {
  if (session.stage === 'closing') return false
  const { promise, resolve } = Promise.withResolvers<void>()
  let isAnswered = false
  const onPong = (): void => {
    isAnswered = true
    resolve()
  }
  session.onPong.add(onPong)
  session.pingSentAtMs ??= session.nowMs()
  session.outbox.send('base', { id: PING, payload: EMPTY_LIST })
  await boundedWait(Promise.race([promise, session.ended]), ANSWER_MS)
  session.onPong.delete(onPong)
  return isAnswered
}
