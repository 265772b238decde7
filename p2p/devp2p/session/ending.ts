import { boundedWait } from '../../boundedWait.ts'
import { encodeDisconnect, type DisconnectReason } from '../base/disconnect.ts'
import { DISCONNECT } from '../base/messages.ts'
import type { Session } from './session.ts'

/** Time limit for sending a disconnect message. */
const FLUSH_MS = 1000
/** Wait for the other side to close: a connection that its sender closes at once may end before the reason is read. */
const GRACE_MS = 300

/** Ends a connection without a disconnect. */
export const abortSession = (session: Session, text: string): void => {
  session.reason ??= text
  session.stage = 'closing'
  session.gate.close()
  session.socket.destroy()
}

/**
 * Sends a disconnect with the reason, and closes once it is sent.
 * @param text the reason in words, for the log of this node
 */
export const disconnectSession = async (
  session: Session,
  reason: DisconnectReason,
  text: string,
  refused = false,
): Promise<void> => {
  if (session.stage === 'closing') return
  session.stage = 'closing'
  session.reason ??= text
  session.refused ||= refused
  const { outbox, socket } = session
  outbox.send('base', { id: DISCONNECT, payload: encodeDisconnect(reason) })
  await boundedWait(outbox.idle(), FLUSH_MS)
  await boundedWait(session.ended, GRACE_MS)
  session.gate.close()
  outbox.close()
  socket.destroy()
}
