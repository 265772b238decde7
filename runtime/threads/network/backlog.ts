import type { Log } from '../../../p2p/log.ts'

/**
 * Maximum bytes in flight between the two threads, in one direction. Messages beyond it are dropped, as a network drops
 * them: without the limit a busy receiver would let memory grow without bound.
 */
export const BACKLOG_BYTES_MAX = 64 * 1024 * 1024

/**
 * Of it for what comes from nodes that are no validators: the rest is for the validators, whose votes are then never dropped behind theirs,
 * nor handled after more than this.
 */
export const STRANGERS_BACKLOG_BYTES_MAX = BACKLOG_BYTES_MAX / 8

/** Overhead counted for each message. */
const MESSAGE_BYTES = 256

/** Index of each direction's counter of handled bytes. */
const DIRECTIONS = { toNetwork: 0, fromNetwork: 1 } as const

/** Shared counters of handled bytes, for `openBacklog` on both sides. */
export const createHandled = (): SharedArrayBuffer => new SharedArrayBuffer(8)

export type Backlog = {
  /** Sender side: returns whether this many bytes may be sent now, and counts them as sent if so. `most` may be in flight then. */
  admits(bytes: number, most?: number): boolean
  /** Receiver side: counts this many bytes as handled. */
  handled(bytes: number): void
}

export const openBacklog = (
  buffer: SharedArrayBuffer,
  direction: keyof typeof DIRECTIONS,
  log: Log,
): Backlog => {
  const counters = new Uint32Array(buffer)
  const at = DIRECTIONS[direction]
  // Both counters wrap around at 2^32 and never differ by more than the limit.
  let sent = 0
  return {
    admits: (bytes, most = BACKLOG_BYTES_MAX) => {
      const weight = bytes + MESSAGE_BYTES
      const waiting = (sent - Atomics.load(counters, at)) >>> 0
      // A single message always passes, however large.
      if (waiting > 0 && waiting + weight > most) {
        log.warn(
          'Dropped a message of {bytes} bytes between the network worker and the main thread: {waiting} bytes are queued',
          {
            bytes,
            waiting,
          },
        )
        return false
      }
      sent = (sent + weight) >>> 0
      return true
    },
    handled: bytes => {
      Atomics.add(counters, at, bytes + MESSAGE_BYTES)
    },
  }
}
