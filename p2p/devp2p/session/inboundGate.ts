import type { Socket } from 'node:net'
import { createTokenBucket, type TokenBucket } from '../../transport/tokenBucket.ts'

type Limit = {
  readonly messagesPerSecond: number
  readonly messagesBurst: number
  readonly bytesPerSecond: number
  readonly bytesBurst: number
}

const MEBIBYTE = 1024 * 1024

/** Before the status: a hello, a status, and a few consensus messages. */
const OF_PENDING_PEER: Limit = {
  messagesPerSecond: 20,
  messagesBurst: 100,
  bytesPerSecond: 256 * 1024,
  bytesBurst: MEBIBYTE,
}
/** Of a peer: as over libp2p, where twenty validators with ten blocks a second stay below. Bytes are counted inflated. */
const OF_PEER: Limit = {
  messagesPerSecond: 4_000,
  messagesBurst: 16_000,
  bytesPerSecond: 64 * MEBIBYTE,
  bytesBurst: 128 * MEBIBYTE,
}
/** Pause of a connection that exceeds its limits: long enough to limit it, short enough that pings are answered in time. */
const REST_MIN_MS = 50
const REST_MAX_MS = 2_000
/** Interval between two reports of a connection that exceeds its limits. */
const EXCEEDED_INTERVAL_MS = 500

type Rate = { readonly messages: TokenBucket; readonly bytes: TokenBucket }

const rateOf = (limit: Limit, nowMs: () => number): Rate => ({
  messages: createTokenBucket(limit.messagesPerSecond, limit.messagesBurst, nowMs),
  bytes: createTokenBucket(limit.bytesPerSecond, limit.bytesBurst, nowMs),
})

/** Limits what arrives over one connection: beyond it nothing is read from the socket, so that the sender's buffers fill. */
export type InboundGate = {
  /** Counts a message with the length of its inflated payload. */
  count(bytes: number): void
  /** The status arrived: the limits of a peer apply from now on. */
  admit(): void
  /** Reads nothing more. */
  close(): void
}

type State = {
  rate: Rate
  timer: ReturnType<typeof setTimeout> | undefined
  exceededAtMs: number
  closed: boolean
}

export const createInboundGate = (
  socket: Pick<Socket, 'pause' | 'resume'>,
  nowMs: () => number,
  onExceeded: () => void,
): InboundGate => {
  const state: State = {
    rate: rateOf(OF_PENDING_PEER, nowMs),
    timer: undefined,
    exceededAtMs: Number.NEGATIVE_INFINITY,
    closed: false,
  }
  const rest = (debtMs: number): void => {
    if (state.timer !== undefined || state.closed) return
    socket.pause()
    state.timer = setTimeout(
      () => {
        state.timer = undefined
        if (!state.closed) socket.resume()
      },
      Math.min(REST_MAX_MS, Math.max(REST_MIN_MS, debtMs)),
    )
  }
  return {
    count: bytes => {
      const debtMs = Math.max(state.rate.messages.take(1), state.rate.bytes.take(bytes))
      if (debtMs === 0) return
      rest(debtMs)
      if (nowMs() - state.exceededAtMs < EXCEEDED_INTERVAL_MS) return
      state.exceededAtMs = nowMs()
      onExceeded()
    },
    admit: () => {
      state.rate = rateOf(OF_PEER, nowMs)
    },
    close: () => {
      state.closed = true
      clearTimeout(state.timer)
      socket.pause()
    },
  }
}
