import type { Connection, MessageStream } from '@libp2p/interface'
import { createBackpressure } from './backpressure.ts'
import { createInboundRate, type InboundLimit } from './inboundRate.ts'
import { createFrameCounter } from './yamuxFrames.ts'

const MEBIBYTE = 1024 * 1024

/** Limit before the status arrived: a status, identify, and what a loaded node gossips before it has read the status of this one. */
const PENDING_PEER_LIMIT: InboundLimit = {
  messagesPerSecond: 500,
  messagesBurst: 2_000,
  bytesPerSecond: MEBIBYTE,
  bytesBurst: 4 * MEBIBYTE,
}
/**
 * Limit of a peer. Twenty validators with ten blocks a second, each forwarding the messages of the others, send some 600 consensus
 * messages a second each, and as many window updates; block ranges and transactions arrive in frames of many kilobytes.
 */
const PEER_LIMIT: InboundLimit = {
  messagesPerSecond: 4_000,
  messagesBurst: 16_000,
  bytesPerSecond: 128 * MEBIBYTE,
  bytesBurst: 256 * MEBIBYTE,
}

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
  const rate = createInboundRate(PENDING_PEER_LIMIT, nowMs, () => inboundLimits.onExceeded())
  let holds = 0
  let isPaused = false

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

  const pauseFor = (ms: number): void => {
    if (isPaused) return
    isPaused = true
    const release = hold()
    const timer = setTimeout(() => {
      socket.removeEventListener('close', end)
      isPaused = false
      release()
    }, ms)
    const end = (): void => clearTimeout(timer)
    socket.addEventListener('close', end, { once: true })
  }

  socket.addEventListener('message', ({ data }) => {
    let frames = 0
    for (const part of data instanceof Uint8Array ? [data] : data) frames += countFrames(part)
    const pauseMs = rate.take(frames, data.byteLength)
    if (pauseMs > 0) pauseFor(pauseMs)
  })

  const inboundLimits: InboundLimits = {
    hold,
    admit: () => rate.setLimit(PEER_LIMIT),
    onExceeded: () => undefined,
  }
  limitsByStreams.set(streams, inboundLimits)
  return inboundLimits
}
