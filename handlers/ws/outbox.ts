import { bodyLength, type ReplyBody, tooLargeText } from '../rpc/dispatch/envelope.ts'
import { bytesOfPiece, pieceLength, pieceText } from '../rpc/json/jsonPieces.ts'
import type { Socket } from './socket.ts'

/**
 * Bytes of a connection that may wait for its reader before no more requests are begun for it: many ordinary answers. One
 * answer may be longer: it is sent in parts as the reader takes them.
 */
export const REPLY_BUFFER_BYTES_MAX = 4 * 1024 * 1024

/** Notifications that may wait for a reader: a thousand full blocks. Behind a long answer as many may wait as well. */
export const NOTIFICATION_BUFFER_BYTES_MAX = 4 * 1024 * 1024

/**
 * Characters of answers that are compressed where the client offered it: shorter ones gain little, and some runtimes compress
 * a longer one in one go, for longer than everyone else should wait. Notifications are not: each of a thousand subscribers
 * would have its own copy of a block compressed, on the thread that makes the next one.
 */
export const COMPRESSED_LENGTH_MIN = 16 * 1024
export const COMPRESSED_LENGTH_MAX = 512 * 1024

/** Bytes of an answer that a runtime takes as a whole message only: it is there three times until it is sent. */
export const WHOLE_MESSAGE_BYTES_MAX = 16 * 1024 * 1024

/** A reader that takes nothing for so long is taken for one that never will. */
export const STALL_MS = 30_000

/** Of an answer in parts, before others have their turn. */
const TURN_BYTES = 1024 * 1024

const NO_BYTES = new Uint8Array(0)

/** How often the buffer of a connection is looked at while its reader is behind. */
const LOOK_MS = 25

export type OutboxOptions = {
  readonly socket: Socket
  /** The reader has caught up: requests may be begun again. */
  readonly onRoom: () => void
  /** The reader is too slow. */
  readonly onSlow: () => void
}

/** What goes out on one connection, and how far its reader is behind. */
export type Outbox = {
  reply(body: ReplyBody): void
  notify(text: string): void
  /** A message before the end of the connection; none where that comes amid the parts of another one. */
  farewell(text: string): void
  /** True where nothing more should be begun for the reader before it has read on. */
  readonly isFull: () => boolean
  /** Throws away what is not sent yet. */
  close(): void
}

/** What goes out behind an answer in parts. */
type Waiting = { readonly body: ReplyBody; readonly isNotification: boolean }

export const createOutbox = ({ socket, onRoom, onSlow }: OutboxOptions): Outbox => {
  let timer: ReturnType<typeof setInterval> | undefined
  let nextTurn: ReturnType<typeof setTimeout> | undefined
  /** The answer that is being sent in parts. */
  let parts: Iterator<Uint8Array> | undefined
  let waiting: Waiting[] = []
  let waitingLength = 0
  /** Of notifications, no more than this is unread. Characters count as bytes: nearly all is ASCII. */
  let notifiedBytes = 0
  /** All that ever had to wait, as long as it is on the way, and the most of it that was seen to be taken. */
  let queuedBytes = 0
  let takenBytes = 0
  let idleMs = 0

  const hasRoom = (): boolean => socket.bufferedBytes() <= REPLY_BUFFER_BYTES_MAX

  const stopLooking = (): void => {
    clearInterval(timer)
    timer = undefined
  }

  const look = (): void => {
    const before = socket.bufferedBytes()
    const taken = queuedBytes - before
    // Between the parts of an answer there may be room.
    idleMs = taken > takenBytes || before <= REPLY_BUFFER_BYTES_MAX ? 0 : idleMs + LOOK_MS
    takenBytes = Math.max(taken, takenBytes)
    sendOn()
    if (parts === undefined && hasRoom()) {
      stopLooking()
      onRoom()
      return
    }
    if (idleMs < STALL_MS) return
    stopLooking()
    onSlow()
  }

  const startLooking = (): void => {
    if (timer !== undefined) return
    takenBytes = queuedBytes - socket.bufferedBytes()
    idleMs = 0
    timer = setInterval(look, LOOK_MS)
  }

  const queue = (send: () => void): void => {
    const before = socket.bufferedBytes()
    notifiedBytes = Math.min(notifiedBytes, before + waitingLength)
    send()
    queuedBytes += Math.max(socket.bufferedBytes() - before, 0)
  }

  const send = (text: string, isCompressed: boolean): void => {
    queue(() => socket.send(text, isCompressed))
    if (!hasRoom()) startLooking()
  }

  /** Sends as much of the answer in parts as there is room for. Others have a turn after each megabyte of it. */
  const sendParts = (sendPart: NonNullable<Socket['sendPart']>): void => {
    for (let turn = 0; parts !== undefined && turn < TURN_BYTES; ) {
      if (!hasRoom()) return
      const { value, done = false } = parts.next()
      const part: Uint8Array = done ? NO_BYTES : value
      queue(() => sendPart(part, done))
      if (done) parts = undefined
      turn += part.length
    }
  }

  /** Goes on with what is in parts and what waits behind it. */
  const sendOn = (): void => {
    if (socket.sendPart !== undefined) sendParts(socket.sendPart)
    for (;;) {
      const next = parts === undefined ? waiting.shift() : undefined
      if (next === undefined) break
      waitingLength -= bodyLength(next.body)
      begin(next)
    }
    // Where there is no room the reader is waited for.
    if (parts !== undefined && hasRoom()) sendOnLater()
  }

  const sendOnLater = (): void => {
    clearTimeout(nextTurn)
    nextTurn = setTimeout(sendOn, 0)
  }

  const begin = ({ body, isNotification }: Waiting): void => {
    if (typeof body === 'string') {
      const { length } = body
      const isCompressed =
        !isNotification && length >= COMPRESSED_LENGTH_MIN && length <= COMPRESSED_LENGTH_MAX
      return send(body, isCompressed)
    }
    const length = bodyLength(body)
    if (length <= COMPRESSED_LENGTH_MAX) return send(body.map(pieceText).join(''), true)
    if (socket.sendPart === undefined)
      return send(length <= WHOLE_MESSAGE_BYTES_MAX ? wholeText(body) : tooLarge(body), false)
    parts = partsOf(body)
    startLooking()
    sendOnLater()
  }

  const put = (next: Waiting): void => {
    if (parts === undefined) return begin(next)
    waiting.push(next)
    waitingLength += bodyLength(next.body)
  }

  return {
    reply: body => put({ body, isNotification: false }),
    notify: text => {
      put({ body: text, isNotification: true })
      notifiedBytes += text.length
      if (Math.min(notifiedBytes, socket.bufferedBytes() + waitingLength) > NOTIFICATION_BUFFER_BYTES_MAX)
        onSlow()
    },
    farewell: text => {
      if (parts === undefined) socket.send(text, false)
    },
    isFull: () => timer !== undefined,
    close: () => {
      stopLooking()
      clearTimeout(nextTurn)
      waiting = []
    },
  }
}

const tooLarge = (body: Exclude<ReplyBody, string>): string =>
  tooLargeText(
    body,
    `more than ${WHOLE_MESSAGE_BYTES_MAX / 1024 / 1024} MB over WebSocket: ask for less, or over HTTP`,
  )

const decoder = new TextDecoder()

/** Put together as bytes: as texts they would be there twice. */
const wholeText = (body: Exclude<ReplyBody, string>): string => {
  // Of text nobody knows how many there will be.
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
