import { EXCEEDED_INTERVAL_MS } from '../limits.ts'
import { createTokenBucket } from './tokenBucket.ts'

/** Rate at which one connection may send; a message is whatever the transport counts, a frame or a protocol message. */
export type InboundLimit = {
  readonly messagesPerSecond: number
  readonly messagesBurst: number
  readonly bytesPerSecond: number
  readonly bytesBurst: number
}

/** Pause of a connection that exceeds its limit: long enough to limit it, short enough that keep-alive messages arrive. */
const PAUSE_MS_MIN = 50
const PAUSE_MS_MAX = 2_000

export type InboundRate = {
  /** Counts what arrived; returns the milliseconds for which to read nothing, 0 within the limit. */
  readonly take: (messages: number, bytes: number) => number
  /** Applies another limit from now on. */
  readonly setLimit: (limit: InboundLimit) => void
}

const createBuckets = (limit: InboundLimit, nowMs: () => number) => ({
  messages: createTokenBucket(limit.messagesPerSecond, limit.messagesBurst, nowMs),
  bytes: createTokenBucket(limit.bytesPerSecond, limit.bytesBurst, nowMs),
})

/** @param onExceeded called when the limit is exceeded, at most twice a second */
export const createInboundRate = (
  limit: InboundLimit,
  nowMs: () => number,
  onExceeded: () => void,
): InboundRate => {
  let buckets = createBuckets(limit, nowMs)
  let exceededAtMs = Number.NEGATIVE_INFINITY
  return {
    take: (messages, bytes) => {
      const debtMs = Math.max(buckets.messages.take(messages), buckets.bytes.take(bytes))
      if (debtMs === 0) return 0
      if (nowMs() - exceededAtMs >= EXCEEDED_INTERVAL_MS) {
        exceededAtMs = nowMs()
        onExceeded()
      }
      return Math.min(PAUSE_MS_MAX, Math.max(PAUSE_MS_MIN, debtMs))
    },
    setLimit: next => {
      buckets = createBuckets(next, nowMs)
    },
  }
}
