import type { NetworkLog } from '../../../p2p/network.ts'

/**
 * Bytes sent to the other thread and not dealt with there yet, in one direction. More are not sent: what a busy thread
 * cannot take in is lost as it would be on the way, where memory would grow without bound.
 */
export const BACKLOG_BYTES_MAX = 64 * 1024 * 1024

/** What a message weighs beside its bytes. */
const MESSAGE_BYTES = 256

/** Of the two directions: what the network's thread has dealt with, and what the main thread has. */
export const BACKLOGS = { toNetwork: 0, fromNetwork: 1 } as const

/** For `openBacklog`, on both sides. */
export const createHandled = (): SharedArrayBuffer => new SharedArrayBuffer(8)

export type Backlog = {
  /** The sender's: whether so many bytes may be sent now; they count as sent when so. */
  admits(bytes: number): boolean
  /** The receiver's. */
  handled(bytes: number): void
}

export const openBacklog = (
  buffer: SharedArrayBuffer,
  direction: keyof typeof BACKLOGS,
  log: NetworkLog,
): Backlog => {
  const counters = new Uint32Array(buffer)
  const at = BACKLOGS[direction]
  // Both counters wrap around alike, and are never further apart than the limit.
  let sent = 0
  return {
    admits: bytes => {
      const weight = bytes + MESSAGE_BYTES
      const waiting = (sent - Atomics.load(counters, at)) >>> 0
      // One alone always goes: nothing may be larger than what ever passes.
      if (waiting > 0 && waiting + weight > BACKLOG_BYTES_MAX) {
        log.warn('{bytes} bytes are lost between the network and the rest: {waiting} wait there already', {
          bytes,
          waiting,
        })
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
