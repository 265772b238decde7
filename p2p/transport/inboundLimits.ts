import type { Connection, MessageStream } from '@libp2p/interface'
import { createBackpressure } from './backpressure.ts'
import { createInboundRate, type InboundLimit } from './inboundRate.ts'
import type { StrangersBudget } from './strangersBudget.ts'
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

/** Price of a frame beside its bytes: its decryption, its way through the streams, and the handler that reads it. */
const FRAME_PRICE = 2 * 1024
/** Key of the share of nodes whose status has not arrived. */
const UNKNOWN = ''
/** Pause where the budget of all nodes that are no validators is used up: keep-alive messages still arrive. */
const DEBT_MS_MIN = 50
const DEBT_MS_MAX = 2_000

/**
 * Limits on everything that arrives over one connection. Beyond them nothing is read from its socket, so that the buffers of
 * the sender fill, and nothing is decrypted or buffered here.
 */
export type InboundLimits = {
  /** Stops reading until the returned function is called. */
  hold(): () => void
  /** To be called when the status arrived: the limits of a peer apply from now on, and the share of its node. */
  admit(id: string, isStranger: () => boolean): void
  /** An answer that this node asked for is not paid for by the node that gives it. */
  asked(bytes: number): void
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
  budget: StrangersBudget,
  nowMs: () => number = () => performance.now(),
): InboundLimits => {
  const backpressure = createBackpressure(socket, () => socket.status === 'open')
  const countFrames = createFrameCounter()
  const rate = createInboundRate(PENDING_PEER_LIMIT, nowMs, () => inboundLimits.onExceeded())
  let holds = 0
  let isPaused = false
  /** The share of the node; nodes whose status has not arrived have one together. */
  let payer = UNKNOWN
  let isStranger = (): boolean => true

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
    const rateMs = rate.take(frames, data.byteLength)
    const debtMs = isStranger() ? budget.charge(payer, data.byteLength + frames * FRAME_PRICE) : 0
    const pauseMs = debtMs === 0 ? rateMs : Math.max(rateMs, DEBT_MS_MIN, Math.min(debtMs, DEBT_MS_MAX))
    if (pauseMs > 0) pauseFor(pauseMs)
  })

  const inboundLimits: InboundLimits = {
    hold,
    admit: (id, isNowStranger) => {
      rate.setLimit(PEER_LIMIT)
      payer = id
      isStranger = isNowStranger
    },
    asked: bytes => budget.refund(payer, bytes),
    onExceeded: () => undefined,
  }
  limitsByStreams.set(streams, inboundLimits)
  return inboundLimits
}
