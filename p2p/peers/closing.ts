import { errorText } from '../../core/text/errorText.ts'
import { boundedWait } from '../boundedWait.ts'
import { type ChannelLimits, openChannel } from '../transport/channel.ts'
import { STATUS_PROTOCOL } from '../transport/protocols.ts'
import { nameOf, type PeerConnection } from './connection.ts'
import type { ConnectionManagerOptions } from './connectionManager.ts'
import { encodeStatusMessage, STATUS_BYTES_MAX, type StatusMessage } from './statusMessage.ts'

/** Statuses are small, and only the newest counts. */
const STATUS_QUEUE: ChannelLimits = { messagesMax: 16, bytesMax: 2 * STATUS_BYTES_MAX }
/** Time limit for sending a goodbye and closing. */
const CLOSE_TIMEOUT_MS = 1000
/** Wait for the receiver of a goodbye to close: a connection that its sender closes at once may end before it is read. */
const GOODBYE_GRACE_MS = 300

/** What sending over a connection and closing it need. */
type SendOptions = Pick<
  ConnectionManagerOptions,
  'handlers' | 'log' | 'nowMs' | 'pause' | 'listenEndpoint' | 'instance'
>

/** Queues a message of the status protocol; opens its stream with the first one. */
export const sendStatusMessage = (
  options: SendOptions,
  connection: PeerConnection,
  message: StatusMessage,
): void => {
  connection.statusChannel ??= openChannel(connection.libp2p, STATUS_PROTOCOL, {
    limits: STATUS_QUEUE,
    pause: options.pause,
    onFailure: reason => abortConnection(connection, reason),
  })
  connection.statusSentAtMs = options.nowMs()
  connection.statusChannel.send(encodeStatusMessage(message))
}

/** Sends the whole status of this node. */
export const sendStatus = (options: SendOptions, connection: PeerConnection): void =>
  sendStatusMessage(options, connection, {
    kind: 'status',
    status: options.handlers.status(),
    ...options.listenEndpoint(),
    instance: options.instance,
  })

/** Ends a connection without a goodbye. */
export const abortConnection = (connection: PeerConnection, reason: string): void => {
  connection.reason ??= reason
  connection.libp2p.abort(new Error(reason))
}

/** Sends a goodbye with the reason, and the enodes of other nodes to try, then closes. */
export const closeConnection = (
  options: SendOptions,
  connection: PeerConnection,
  reason: string,
  enodes: readonly string[] = [],
): Promise<void> => {
  if (connection.stage === 'closing') return Promise.resolve()
  connection.stage = 'closing'
  connection.reason ??= reason
  const { refused, keyInUse } = connection
  sendStatusMessage(options, connection, { kind: 'goodbye', reason, refused, keyInUse, enodes })
  return finishConnection(options, connection, GOODBYE_GRACE_MS)
}

/** Closes a connection whose other side should not dial again soon. */
export const refuseConnection = (
  options: SendOptions,
  connection: PeerConnection,
  reason: string,
  enodes: readonly string[] = [],
): void => {
  connection.refused = true
  void closeConnection(options, connection, reason, enodes)
}

/** As `refuseConnection`, because another node with the key of the other side is connected. */
export const refuseKeyInUse = (options: SendOptions, connection: PeerConnection, reason: string): void => {
  connection.keyInUse = true
  refuseConnection(options, connection, reason)
}

/** Flushes the queues of a connection, waits `graceMs` for the other side to close it, then closes it. */
export const finishConnection = async (
  { log }: SendOptions,
  connection: PeerConnection,
  graceMs = 0,
): Promise<void> => {
  if (connection.finishing) return
  connection.finishing = true
  const signal = AbortSignal.timeout(CLOSE_TIMEOUT_MS)
  const timedOut = new Promise<void>(resolve => signal.addEventListener('abort', () => resolve()))
  const { statusChannel, consensusChannel, blockChannel } = connection
  try {
    await Promise.race([
      Promise.all([statusChannel?.idle(), consensusChannel?.idle(), blockChannel?.idle()]),
      timedOut,
    ])
    if (graceMs > 0) await boundedWait(connection.ended, graceMs)
    await connection.libp2p.close({ signal })
  } catch (cause) {
    log.debug('The connection with {peer} was aborted: {reason}', {
      peer: nameOf(connection),
      reason: errorText(cause),
    })
    connection.libp2p.abort(new Error(connection.reason))
  }
}
