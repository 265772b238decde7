import type { Connection, MessageStream } from '@libp2p/interface'
import { createBackpressure } from './backpressure.ts'
import { createTokenBucket, type TokenBucket } from './tokenBucket.ts'
import { createFrameCounter } from './yamuxFrames.ts'

type Limit = {
  readonly framesPerSecond: number
  readonly framesBurst: number
  readonly bytesPerSecond: number
  readonly bytesBurst: number
}

const MEBIBYTE = 1024 * 1024

/** Limit before the status arrived: a status, identify, and what a loaded node gossips before it has read the status of this one. */
const PENDING_PEER_LIMIT: Limit = {
  framesPerSecond: 500,
  framesBurst: 2_000,
  bytesPerSecond: MEBIBYTE,
  bytesBurst: 4 * MEBIBYTE,
}
/**
 * Limit of a peer. Twenty validators with ten blocks a second, each forwarding the messages of the others, send some 600 consensus
 * messages a second each, and as many window updates; block ranges and transactions arrive in frames of many kilobytes.
 */
const PEER_LIMIT: Limit = {
  framesPerSecond: 4_000,
  framesBurst: 16_000,
  bytesPerSecond: 128 * MEBIBYTE,
  bytesBurst: 256 * MEBIBYTE,
}
/** Pause of a connection that exceeds its limits: long enough to limit it, short enough that keep-alive messages arrive. */
const PAUSE_MIN_MS = 50
const PAUSE_MAX_MS = 2_000
/** Interval between two reports of a connection that exceeds its limits. */
const EXCEEDED_INTERVAL_MS = 500

/**
 * Limits on everything that arrives over one connection. Beyond them nothing is read from its socket, so that the buffers of
 * the sender fill, and nothing is decrypted or buffered here.
 */
export type InboundLimits = {
  /** Stops reading until the returned function is called. */
  hold(): () => void
  /** To be called when the status arrived: the limits of a peer apply from now on. */
  admit(): void
  /** Called when more arrives than any honest node sends. */
  onExceeded: () => void
}

type Rate = { readonly frames: TokenBucket; readonly bytes: TokenBucket }

const rateOf = (limit: Limit, nowMs: () => number): Rate => ({
  frames: createTokenBucket(limit.framesPerSecond, limit.framesBurst, nowMs),
  bytes: createTokenBucket(limit.bytesPerSecond, limit.bytesBurst, nowMs),
})

/** By the list of streams, which a muxer shares with its connection. */
const limitsByStreams = new WeakMap<object, InboundLimits>()

/** Returns undefined for a connection that this host did not make. */
export const inboundLimitsOf = ({ streams }: Pick<Connection, 'streams'>): InboundLimits | undefined =>
  limitsByStreams.get(streams)

/** Counts the decrypted bytes that a muxer receives. */
export const createInboundLimits = (
  socket: MessageStream,
  streams: object,
  nowMs: () => number = () => performance.now(),
): InboundLimits => {
  const backpressure = createBackpressure(socket, () => socket.status === 'open')
  const countFrames = createFrameCounter()
  let rate = rateOf(PENDING_PEER_LIMIT, nowMs)
  let holds = 0
  let isPaused = false
  let exceededAtMs = -Infinity

  const pauseWhenRead = (): void => {
    if (holds > 0) backpressure.pause()
  }

  const hold = (): (() => void) => {
    let held = true
    holds++
    // What the socket has read already is decrypted first: paused half way, it would be kept in many small parts.
    queueMicrotask(pauseWhenRead)
    return () => {
      if (!held) return
      held = false
      holds--
      if (holds === 0) backpressure.resume()
    }
  }

  const pauseFor = (debtMs: number): void => {
    if (isPaused) return
    isPaused = true
    const release = hold()
    const timer = setTimeout(
      () => {
        socket.removeEventListener('close', end)
        isPaused = false
        release()
      },
      Math.min(PAUSE_MAX_MS, Math.max(PAUSE_MIN_MS, debtMs)),
    )
    const end = (): void => clearTimeout(timer)
    socket.addEventListener('close', end, { once: true })
  }

  socket.addEventListener('message', ({ data }) => {
    let frames = 0
    for (const part of data instanceof Uint8Array ? [data] : data) frames += countFrames(part)
    const debtMs = Math.max(rate.frames.take(frames), rate.bytes.take(data.byteLength))
    if (debtMs === 0) return
    pauseFor(debtMs)
    if (nowMs() - exceededAtMs < EXCEEDED_INTERVAL_MS) return
    exceededAtMs = nowMs()
    inboundLimits.onExceeded()
  })

  const inboundLimits: InboundLimits = {
    hold,
    admit: () => {
      rate = rateOf(PEER_LIMIT, nowMs)
    },
    onExceeded: () => undefined,
  }
  limitsByStreams.set(streams, inboundLimits)
  return inboundLimits
}
