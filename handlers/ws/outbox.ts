import type { Socket } from './socket.ts'

/**
 * Bytes of a connection that may wait for its reader before no more requests are begun for it: many ordinary answers. One
 * answer may be longer, and is sent whole.
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

/** A reader that takes nothing for so long is taken for one that never will. */
export const STALL_MS = 30_000

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
  reply(text: string): void
  notify(text: string): void
  /** True where nothing more should be begun for the reader before it has read on. */
  readonly isFull: () => boolean
  /** Stops looking. */
  close(): void
}

export const createOutbox = ({ socket, onRoom, onSlow }: OutboxOptions): Outbox => {
  let timer: ReturnType<typeof setInterval> | undefined
  /** Of notifications, no more than this is unread. Characters count as bytes: nearly all is ASCII. */
  let notifiedBytes = 0
  /** All that ever had to wait, as long as it is on the way, and the most of it that was seen to be taken. */
  let queuedBytes = 0
  let takenBytes = 0
  let idleMs = 0

  const close = (): void => {
    clearInterval(timer)
    timer = undefined
  }

  const look = (): void => {
    const buffered = socket.bufferedBytes()
    if (buffered <= REPLY_BUFFER_BYTES_MAX) {
      close()
      onRoom()
      return
    }
    const taken = queuedBytes - buffered
    idleMs = taken > takenBytes ? 0 : idleMs + LOOK_MS
    takenBytes = Math.max(taken, takenBytes)
    if (idleMs < STALL_MS) return
    close()
    onSlow()
  }

  /** @returns what is unread then. */
  const send = (text: string, isCompressed: boolean): number => {
    const before = socket.bufferedBytes()
    notifiedBytes = Math.min(notifiedBytes, before)
    socket.send(text, isCompressed)
    const buffered = socket.bufferedBytes()
    queuedBytes += Math.max(buffered - before, 0)
    if (buffered > REPLY_BUFFER_BYTES_MAX && timer === undefined) {
      takenBytes = queuedBytes - buffered
      idleMs = 0
      timer = setInterval(look, LOOK_MS)
    }
    return buffered
  }

  return {
    reply: text =>
      void send(text, text.length >= COMPRESSED_LENGTH_MIN && text.length <= COMPRESSED_LENGTH_MAX),
    notify: text => {
      const buffered = send(text, false)
      notifiedBytes += text.length
      if (Math.min(notifiedBytes, buffered) > NOTIFICATION_BUFFER_BYTES_MAX) onSlow()
    },
    isFull: () => timer !== undefined,
    close,
  }
}
