import { TURN_BYTES } from '../http/stream.ts'
import type { Scheduler } from '../../core/scheduler.ts'
import { bodyLength, type ReplyBody, tooLargeText } from '../rpc/dispatch/envelope.ts'
import { bytesOfPiece, pieceLength, pieceText } from '../rpc/json/jsonPieces.ts'
import type { Socket } from './socket.ts'

/**
 * Unread bytes of one connection above which no more requests are started for it: many ordinary answers. One answer may be
 * longer: it is sent in parts as the client reads them.
 */
export const REPLY_BUFFER_BYTES_MAX = 4 * 1024 * 1024

/** Unread bytes of notifications of one connection: a thousand full blocks. Behind a long answer the same number may wait. */
export const NOTIFICATION_BUFFER_BYTES_MAX = 4 * 1024 * 1024

/**
 * Characters of answers that are compressed where the client supports it: shorter ones gain little, and some runtimes
 * compress a longer one in one step, which blocks the event loop for too long. Notifications are not compressed: a block
 * would be compressed once for each of a thousand subscribers, on the thread that produces the next one.
 */
export const COMPRESSED_MESSAGE_LENGTH_MIN = 16 * 1024
export const COMPRESSED_LENGTH_MAX = 512 * 1024

/** Longest answer, in bytes, on a runtime that sends only whole messages: it takes three times its size until it is sent. */
export const WHOLE_MESSAGE_BYTES_MAX = 16 * 1024 * 1024

/** A client that reads nothing for this long is disconnected. */
const STALL_MS = 30_000

const NO_BYTES = new Uint8Array(0)

/** Interval between checks of the send buffer while the client is behind, and before a close. */
export const POLL_MS = 25

export type OutboxOptions = {
  readonly scheduler: Pick<Scheduler, 'nextTurn'>
  readonly socket: Socket
  /** Called when the client has caught up: requests may be started again. */
  readonly onRoom: () => void
  /** Called when the client reads too slowly. */
  readonly onSlow: () => void
}

/** Outgoing messages of one connection, with backpressure. */
export type Outbox = {
  reply(body: ReplyBody): void
  notify(text: string): void
  /** Sends a last message, unless an answer in parts is being sent. */
  sendLast(text: string): void
  /** True where no request should be started before the client has read more. */
  readonly isFull: () => boolean
  /** Discards unsent messages. */
  close(): void
}

/** A message that waits behind an answer in parts. */
type Waiting = { readonly body: ReplyBody; readonly isNotification: boolean }

type State = OutboxOptions & {
  pollTimer: ReturnType<typeof setInterval> | undefined
  isTurnDue: boolean
  isClosed: boolean
  /** The answer that is being sent in parts. */
  parts: Iterator<Uint8Array> | undefined
  waiting: Waiting[]
  waitingLength: number
  /** Upper bound of the unread bytes of notifications. Characters count as bytes: nearly all are ASCII. */
  notifiedBytes: number
  /** Total of the bytes that had to wait in the send buffer, and the highest observed number of them that were read. */
  queuedBytes: number
  takenBytes: number
  idleMs: number
}

const hasRoom = ({ socket }: State): boolean => socket.bufferedBytes() <= REPLY_BUFFER_BYTES_MAX

const stopPolling = (state: State): void => {
  clearInterval(state.pollTimer)
  state.pollTimer = undefined
}

/** Checks how much the client has read, and sends more. */
const poll = (state: State): void => {
  const before = state.socket.bufferedBytes()
  const taken = state.queuedBytes - before
  // Between the parts of an answer there may be room.
  state.idleMs = taken > state.takenBytes || before <= REPLY_BUFFER_BYTES_MAX ? 0 : state.idleMs + POLL_MS
  state.takenBytes = Math.max(taken, state.takenBytes)
  sendWaiting(state)
  if (state.parts === undefined && hasRoom(state)) {
    stopPolling(state)
    state.onRoom()
    return
  }
  if (state.idleMs < STALL_MS) return
  stopPolling(state)
  state.onSlow()
}

const startPolling = (state: State): void => {
  if (state.pollTimer !== undefined) return
  state.takenBytes = state.queuedBytes - state.socket.bufferedBytes()
  state.idleMs = 0
  state.pollTimer = setInterval(() => poll(state), POLL_MS)
}

/** Sends, and counts what stays in the send buffer. */
const countQueued = (state: State, send: () => void): void => {
  const { socket } = state
  const before = socket.bufferedBytes()
  state.notifiedBytes = Math.min(state.notifiedBytes, before + state.waitingLength)
  send()
  state.queuedBytes += Math.max(socket.bufferedBytes() - before, 0)
}

const sendWhole = (state: State, text: string, isCompressed: boolean): void => {
  countQueued(state, () => state.socket.send(text, isCompressed))
  if (!hasRoom(state)) startPolling(state)
}

/** Sends parts of the answer while the send buffer has room, at most TURN_BYTES. */
const sendParts = (state: State, sendPart: NonNullable<Socket['sendPart']>): void => {
  for (let sent = 0; state.parts !== undefined && sent < TURN_BYTES; ) {
    if (!hasRoom(state)) return
    const { value, done = false } = state.parts.next()
    const part: Uint8Array = done ? NO_BYTES : value
    countQueued(state, () => sendPart(part, done))
    if (done) state.parts = undefined
    sent += part.length
  }
}

/** Sends the answer in parts and the messages that wait behind it, while the send buffer has room. */
const sendWaiting = (state: State): void => {
  const { socket } = state
  if (socket.sendPart !== undefined) sendParts(state, socket.sendPart)
  for (;;) {
    const next = state.parts === undefined ? state.waiting.shift() : undefined
    if (next === undefined) break
    state.waitingLength -= bodyLength(next.body)
    send(state, next)
  }
  // Without room the poll timer continues.
  if (state.parts !== undefined && hasRoom(state)) sendNextTurn(state)
}

const sendNextTurn = (state: State): void => {
  if (state.isTurnDue) return
  state.isTurnDue = true
  void state.scheduler.nextTurn().then(() => {
    state.isTurnDue = false
    if (!state.isClosed) sendWaiting(state)
  })
}

const send = (state: State, { body, isNotification }: Waiting): void => {
  if (typeof body === 'string') {
    const { length } = body
    const isCompressed =
      !isNotification && length >= COMPRESSED_MESSAGE_LENGTH_MIN && length <= COMPRESSED_LENGTH_MAX
    return sendWhole(state, body, isCompressed)
  }
  const length = bodyLength(body)
  if (length <= COMPRESSED_LENGTH_MAX) return sendWhole(state, body.map(pieceText).join(''), true)
  if (state.socket.sendPart === undefined)
    return sendWhole(state, length <= WHOLE_MESSAGE_BYTES_MAX ? wholeText(body) : tooLarge(body), false)
  state.parts = partsOf(body)
  startPolling(state)
  sendNextTurn(state)
}

/** Sends a message, or lets it wait behind an answer in parts. */
const put = (state: State, next: Waiting): void => {
  if (state.parts === undefined) return send(state, next)
  state.waiting.push(next)
  state.waitingLength += bodyLength(next.body)
}

const notify = (state: State, text: string): void => {
  put(state, { body: text, isNotification: true })
  state.notifiedBytes += text.length
  const unreadBytes = Math.min(state.notifiedBytes, state.socket.bufferedBytes() + state.waitingLength)
  if (unreadBytes > NOTIFICATION_BUFFER_BYTES_MAX) state.onSlow()
}

export const createOutbox = (options: OutboxOptions): Outbox => {
  const state: State = {
    ...options,
    pollTimer: undefined,
    isTurnDue: false,
    isClosed: false,
    parts: undefined,
    waiting: [],
    waitingLength: 0,
    notifiedBytes: 0,
    queuedBytes: 0,
    takenBytes: 0,
    idleMs: 0,
  }
  return {
    reply: body => put(state, { body, isNotification: false }),
    notify: text => notify(state, text),
    sendLast: text => {
      if (state.parts === undefined) options.socket.send(text, false)
    },
    isFull: () => state.pollTimer !== undefined,
    close: () => {
      stopPolling(state)
      state.isClosed = true
      state.waiting = []
    },
  }
}

const tooLarge = (body: Exclude<ReplyBody, string>): string =>
  tooLargeText(
    body,
    `more than ${WHOLE_MESSAGE_BYTES_MAX / 1024 / 1024} MB over WebSocket: reduce the request, or use HTTP`,
  )

const decoder = new TextDecoder()

/** Joins bytes: joining strings would hold the answer in memory twice. */
const wholeText = (body: Exclude<ReplyBody, string>): string => {
  // A character takes up to three bytes.
  const bytes = new Uint8Array(
    body.reduce((size, piece) => size + (typeof piece === 'string' ? 3 : 1) * pieceLength(piece), 0),
  )
  let at = 0
  for (const piece of body) {
    const part = bytesOfPiece(piece)
    bytes.set(part, at)
    at += part.length
  }
  return decoder.decode(bytes.subarray(0, at))
}

function* partsOf(body: Exclude<ReplyBody, string>): Generator<Uint8Array> {
  for (const piece of body) yield bytesOfPiece(piece)
}
