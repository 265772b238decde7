import type { Socket } from 'node:net'
import { createInboundRate, type InboundLimit } from '../../transport/inboundRate.ts'

const MEBIBYTE = 1024 * 1024

/** Limit before the status arrived: a hello, a status, and a few consensus messages. */
const PENDING_PEER_LIMIT: InboundLimit = {
  messagesPerSecond: 20,
  messagesBurst: 100,
  bytesPerSecond: 256 * 1024,
  bytesBurst: MEBIBYTE,
}
/**
 * Limit of a peer: as over libp2p, where twenty validators with ten blocks a second stay below. Bytes are counted inflated.
 */
const PEER_LIMIT: InboundLimit = {
  messagesPerSecond: 4_000,
  messagesBurst: 16_000,
  bytesPerSecond: 64 * MEBIBYTE,
  bytesBurst: 128 * MEBIBYTE,
}

/**
 * Limits what arrives over one connection. Above the limit it stops reading from the socket, so that the sender's buffers
 * fill.
 */
export type InboundGate = {
  /** Counts a message with the length of its inflated payload. */
  count(bytes: number): void
  /** The status arrived: the limits of a peer apply from now on. */
  admit(): void
  /** Reads nothing until the returned function is called. */
  hold(): () => void
  /** Reads nothing more. */
  close(): void
}

export const createInboundGate = (
  socket: Pick<Socket, 'pause' | 'resume'>,
  nowMs: () => number,
  onExceeded: () => void,
): InboundGate => {
  const rate = createInboundRate(PENDING_PEER_LIMIT, nowMs, onExceeded)
  let timer: ReturnType<typeof setTimeout> | undefined
  let isClosed = false
  let holds = 0
  const hold = (): (() => void) => {
    let isHeld = true
    holds++
    socket.pause()
    return () => {
      if (!isHeld) return
      isHeld = false
      holds--
      if (holds === 0 && !isClosed) socket.resume()
    }
  }
  const pauseFor = (ms: number): void => {
    if (timer !== undefined || isClosed) return
    const release = hold()
    timer = setTimeout(() => {
      timer = undefined
      release()
    }, ms)
  }
  return {
    count: bytes => {
      const pauseMs = rate.take(1, bytes)
      if (pauseMs > 0) pauseFor(pauseMs)
    },
    hold,
    admit: () => rate.setLimit(PEER_LIMIT),
    close: () => {
      isClosed = true
      clearTimeout(timer)
      socket.pause()
    },
  }
}
