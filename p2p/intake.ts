import type { Connection, MessageStream } from '@libp2p/interface'
import { createFlow } from './flow.ts'
import { createTokenBucket, type TokenBucket } from './tokenBucket.ts'
import { createFrameCounter } from './yamuxFrames.ts'

type Limit = {
  readonly framesPerSecond: number
  readonly framesBurst: number
  readonly bytesPerSecond: number
  readonly bytesBurst: number
}

const MEBIBYTE = 1024 * 1024

/** A status, identify, and what a node under load gossips before it has read the other's status. */
const OF_STRANGER: Limit = {
  framesPerSecond: 500,
  framesBurst: 2_000,
  bytesPerSecond: MEBIBYTE,
  bytesBurst: 4 * MEBIBYTE,
}
/**
 * Of a peer. Twenty validators with ten blocks a second, each passing on what the others say, come to some 600 consensus messages
 * a second from each, and as many frames that open the window for what it is sent; blocks in ranges, and transactions, come
 * in frames of many kilobytes.
 */
const OF_PEER: Limit = {
  framesPerSecond: 4_000,
  framesBurst: 16_000,
  bytesPerSecond: 128 * MEBIBYTE,
  bytesBurst: 256 * MEBIBYTE,
}
/** A connection in debt rests so long at least, at most what keeps signs of life coming. */
const REST_MIN_MS = 50
const REST_MAX_MS = 2_000
/** One that goes on sending too much is reported once in this time. */
const EXCEEDED_INTERVAL_MS = 500

/**
 * What comes over one connection, whatever it is: beyond the limits nothing is read from its socket, so that the sender's
 * own buffers fill, and nothing of it is decrypted or kept here.
 */
export type Intake = {
  /** Reads nothing until the returned function is called. */
  hold(): () => void
  /** The other side has told its status: from now on it may send what a peer sends. */
  admit(): void
  /** Called when more comes than any honest node sends. */
  onExceeded: () => void
}

type Rate = { readonly frames: TokenBucket; readonly bytes: TokenBucket }

const rateOf = (limit: Limit, nowMs: () => number): Rate => ({
  frames: createTokenBucket(limit.framesPerSecond, limit.framesBurst, nowMs),
  bytes: createTokenBucket(limit.bytesPerSecond, limit.bytesBurst, nowMs),
})

/** By the list of its streams, which a muxer shares with the connection that is made of it. */
const intakes = new WeakMap<object, Intake>()

/** Undefined for a connection that was not made by this host. */
export const intakeOf = ({ streams }: Pick<Connection, 'streams'>): Intake | undefined => intakes.get(streams)

/** Meters the decrypted bytes that a muxer gets. */
export const createIntake = (
  socket: MessageStream,
  streams: object,
  nowMs: () => number = () => performance.now(),
): Intake => {
  const flow = createFlow(socket, () => socket.status === 'open')
  const countFrames = createFrameCounter()
  let rate = rateOf(OF_STRANGER, nowMs)
  let holds = 0
  let resting = false
  let exceededAtMs = -Infinity

  const pauseWhenRead = (): void => {
    if (holds > 0) flow.pause()
  }

  const hold = (): (() => void) => {
    let held = true
    holds++
    // What the socket has handed over already is decrypted in one go: kept half way it would be kept in many small parts.
    queueMicrotask(pauseWhenRead)
    return () => {
      if (!held) return
      held = false
      holds--
      if (holds === 0) flow.resume()
    }
  }

  const rest = (debtMs: number): void => {
    if (resting) return
    resting = true
    const release = hold()
    const timer = setTimeout(
      () => {
        socket.removeEventListener('close', end)
        resting = false
        release()
      },
      Math.min(REST_MAX_MS, Math.max(REST_MIN_MS, debtMs)),
    )
    const end = (): void => clearTimeout(timer)
    socket.addEventListener('close', end, { once: true })
  }

  socket.addEventListener('message', ({ data }) => {
    let frames = 0
    for (const part of data instanceof Uint8Array ? [data] : data) frames += countFrames(part)
    const debtMs = Math.max(rate.frames.take(frames), rate.bytes.take(data.byteLength))
    if (debtMs === 0) return
    rest(debtMs)
    if (nowMs() - exceededAtMs < EXCEEDED_INTERVAL_MS) return
    exceededAtMs = nowMs()
    intake.onExceeded()
  })

  const intake: Intake = {
    hold,
    admit: () => {
      rate = rateOf(OF_PEER, nowMs)
    },
    onExceeded: () => undefined,
  }
  intakes.set(streams, intake)
  return intake
}
