import { errorText } from '../../../core/text/errorText.ts'
import { NetworkError } from '../../error.ts'
import { agreeOn } from '../base/capabilities.ts'
import { ALREADY_CONNECTED, decodeDisconnect, disconnectText } from '../base/disconnect.ts'
import { BASE_VERSION, decodeHello } from '../base/hello.ts'
import { BASE_BYTES_MAX, BASE_IDS, DISCONNECT, HELLO, PING, PONG } from '../base/messages.ts'
import type { Frame } from '../rlpx/frames.ts'
import { decompressSnappy, inflateStart } from '../snappy/decompress.ts'
import { SnappyError } from '../snappy/error.ts'
import { equalBytes } from '../../../core/bytes/bytes.ts'
import { EMPTY_LIST } from '../../../core/rlp/list.ts'
import { abortSession, disconnectSession } from './ending.ts'
import { ANSWER_CODES, ETH } from '../ethCodes.ts'
import { kindOf } from './messageKind.ts'
import { bytesMaxOf, FRAME_BYTES_MAX } from './messageLimits.ts'
import { requestIdOf } from './requestId.ts'
import type { Expected, ProtocolMessage, Session } from './session.ts'

/**
 * Messages kept until the other side is a peer: consensus messages, because Besu's channel opens with the hello, and
 * announcements, because it lists its pool while its head is being asked for.
 */
const EARLY_MAX = 32
const EARLY_BYTES_MAX = 2 * 1024 * 1024

const inflate = (session: Session, payload: Uint8Array, bytesMax: number): Uint8Array => {
  if (session.compresses) return decompressSnappy(payload, bytesMax)
  if (payload.length > bytesMax)
    throw new NetworkError('OVERSIZED', `a message of ${payload.length} bytes, of ${bytesMax} at most`)
  return payload
}

const onHello = (session: Session, payload: Uint8Array): void => {
  if (session.stage !== 'hello') throw new NetworkError('BAD_MESSAGE', 'a second hello')
  const hello = decodeHello(payload)
  session.hello = hello
  session.compresses = hello.version >= BASE_VERSION
  session.reader.sizeMax = FRAME_BYTES_MAX
  if (!equalBytes(hello.publicKey, session.publicKey))
    return void disconnectSession(session, 'unexpectedIdentity', 'its hello names another key', true)
  session.agreed = agreeOn(hello.capabilities)
  if (session.agreed === undefined) {
    const offered = hello.capabilities.map(({ name, version }) => `${name}/${version}`).join(', ')
    const text = `no shared version of eth: it offers ${offered}`
    return void disconnectSession(session, 'uselessPeer', text, true)
  }
  session.stage = 'status'
  session.events.onHello(session)
}

/** A disconnect may be compressed or not, whatever was agreed: what does not inflate is taken as it is. */
const onDisconnect = (session: Session, payload: Uint8Array): void => {
  let bytes = payload
  try {
    bytes = inflate(session, payload, BASE_BYTES_MAX)
  } catch {
    // It was not compressed.
  }
  const code = decodeDisconnect(bytes)
  // Another chain, no shared protocol, or no room: dialing at once would not help.
  if (code !== undefined && [0x02, 0x03, 0x04, 0x06, 0x09, 0x0a, 0x10].includes(code)) session.refused = true
  session.isDuplicate = code === ALREADY_CONNECTED
  abortSession(session, `the peer closed it: ${disconnectText(code)}`)
}

const onBaseMessage = (session: Session, { id, payload }: Frame): void => {
  if (id === DISCONNECT) return onDisconnect(session, payload)
  if (session.stage === 'closing') return
  const bytes = inflate(session, payload, BASE_BYTES_MAX)
  session.gate.count(bytes.length)
  if (id === HELLO) return onHello(session, bytes)
  if (session.stage === 'hello') throw new NetworkError('BAD_MESSAGE', `message ${id} before the hello`)
  if (id === PING) session.outbox.send('base', { id: PONG, payload: EMPTY_LIST })
  else if (id === PONG) {
    session.pingSentAtMs = undefined
    for (const listener of session.onPong) listener()
  } else throw new NetworkError('BAD_MESSAGE', `the base protocol has no message ${id}`)
}

/** The longest list prefix of RLP, and a request id. */
const ANSWER_START_BYTES = 4 + 9

/** What an answer is by its first bytes, before the rest is inflated. @throws RlpError, SnappyError */
const expectedOf = (session: Session, code: number, payload: Uint8Array): Expected => {
  const start = session.compresses
    ? inflateStart(payload, ANSWER_START_BYTES)
    : payload.subarray(0, ANSWER_START_BYTES)
  return session.events.expects(session, code, requestIdOf(start))
}

/** The protocol and code of a frame, with its payload inflated; undefined for an answer that is not used. @throws NetworkError, SnappyError, RlpError */
const openFrame = (session: Session, { id, payload }: Frame): ProtocolMessage | undefined => {
  if (session.agreed === undefined) throw new NetworkError('BAD_MESSAGE', `message ${id} before the hello`)
  const kind = kindOf(session, id)
  if (kind === undefined) throw new NetworkError('BAD_MESSAGE', `no agreed protocol has message ${id}`)
  const { protocol, code } = kind
  let bytesMax = bytesMaxOf(protocol, code)
  if (protocol === 'eth' && ANSWER_CODES.has(code)) {
    const expected = expectedOf(session, code, payload)
    if (expected.kind === 'unasked')
      session.events.onMisbehaviour(session, 'bad-response', 'an answer that nobody asked for')
    if (expected.kind !== 'asked') return undefined
    bytesMax = Math.min(bytesMax, expected.bytesMax)
    session.strangers.asked(session, payload.length)
  }
  return { protocol, code, payload: inflate(session, payload, bytesMax) }
}

const isAnnouncement = (code: number): boolean =>
  code === ETH.newBlockHashes ||
  code === ETH.transactions ||
  code === ETH.newBlock ||
  code === ETH.newPooledTransactionHashes ||
  code === ETH.blockRangeUpdate

const keepEarly = ({ early }: Session, message: ProtocolMessage): void => {
  const bytes = early.reduce((sum, { payload }) => sum + payload.length, message.payload.length)
  if (early.length < EARLY_MAX && bytes <= EARLY_BYTES_MAX) early.push(message)
}

const onFrame = (session: Session, frame: Frame): void => {
  const { events, stage } = session
  session.receivedAtMs = session.nowMs()
  if (frame.id < BASE_IDS) return onBaseMessage(session, frame)
  if (stage === 'closing') return
  const message = openFrame(session, frame)
  if (message === undefined) return
  session.gate.count(message.payload.length)
  if (stage === 'status' && message.protocol === 'eth' && message.code !== ETH.status)
    throw new NetworkError('BAD_MESSAGE', `message ${message.code} of eth before the status`)
  const isEarly = stage !== 'established' && (message.protocol !== 'eth' || isAnnouncement(message.code))
  if (isEarly) keepEarly(session, message)
  else events.onMessage(session, message)
}

const isOversized = (cause: unknown): boolean =>
  (cause instanceof NetworkError || cause instanceof SnappyError) && cause.code === 'OVERSIZED'

/** Ends a connection over which a message arrived that violates its protocol. */
const onBreach = (session: Session, cause: unknown): void => {
  const detail = errorText(cause)
  session.events.onMisbehaviour(session, isOversized(cause) ? 'oversized-message' : 'invalid-message', detail)
  void disconnectSession(session, 'breachOfProtocol', `an invalid message: ${detail}`)
}

/** Handles the messages that were kept until now: the other side is a peer. */
export const deliverEarly = (session: Session): void => {
  for (const message of session.early.splice(0)) {
    if (session.stage === 'closing') return
    try {
      session.events.onMessage(session, message)
    } catch (cause) {
      onBreach(session, cause)
    }
  }
}

/** Handles a frame; one that breaks its protocol ends the connection. */
export const handleFrame = (session: Session, frame: Frame): void => {
  try {
    onFrame(session, frame)
  } catch (cause) {
    onBreach(session, cause)
  }
}

/** Without a valid MAC nothing that follows can be decrypted, in either direction. */
export const onBroken = (session: Session, cause: unknown): void => abortSession(session, errorText(cause))

const onData = (session: Session, data: Uint8Array): void => {
  if (session.socket.destroyed) return
  if (session.isStranger() || session.strangers.isReading(session))
    return session.strangers.arrived(session, data)
  try {
    session.reader.push(data, frame => handleFrame(session, frame))
  } catch (cause) {
    onBroken(session, cause)
  }
}

/** Starts reading messages, beginning with those that arrived with the end of the handshake. */
export const startReading = (session: Session, rest: Uint8Array): void => {
  const { socket, events } = session
  socket.on('data', (data: Uint8Array) => onData(session, data))
  socket.on('close', () => {
    session.reason ??= 'the connection was closed'
    session.stage = 'closing'
    session.gate.close()
    session.outbox.close()
    session.end()
    events.onEnded(session)
  })
  if (rest.length > 0) onData(session, rest)
  socket.resume()
}
