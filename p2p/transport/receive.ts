import { errorText } from '../../core/text/errorText.ts'
import { EXCEEDED_INTERVAL_MS } from '../limits.ts'
import type { Stream, StreamMessageEvent } from '@libp2p/interface'
import { backpressureOf } from './backpressure.ts'
import { createFrameDecoder, type FrameDecoder } from './frames.ts'
import type { InboundLimits } from './inboundLimits.ts'
import type { TokenBucket } from './tokenBucket.ts'

/** Shortest pause of a reader whose sender exceeds its rate: a wake-up for each message would limit nothing. */
const PAUSE_MIN_MS = 100

export type Rate = { readonly messages: TokenBucket; readonly bytes: TokenBucket }

/** The connection that a stream belongs to. */
export type Receiver = {
  readonly inboundLimits: InboundLimits | undefined
  /** Resolves to true once the statuses are exchanged, to false when the connection ends before. */
  readonly ready: Promise<boolean>
}

export type ReceiveOptions = {
  /** Largest message. */
  readonly bytesMax: number
  /** While the rate is exceeded nothing is read, so that the buffers of the sender fill. */
  readonly rate: {
    /** Called for each message. */
    readonly now: () => Rate
    readonly onExceeded: () => void
  }
  /** Called whenever bytes arrive. */
  readonly onReceived: () => void
  readonly onFrame: (frame: Uint8Array) => void
  /** Called when the stream cannot be read further: a message is too large, or `onFrame` threw. */
  readonly onFailure: (cause: unknown) => void
}

type Timer = ReturnType<typeof setTimeout>

type State = {
  readonly stream: Stream
  readonly connection: Receiver
  readonly options: ReceiveOptions
  readonly decoder: FrameDecoder
  /** Removes the listeners of the stream. */
  readonly unlisten: () => void
  /** Runs while reading is paused. */
  pauseTimer: Timer | undefined
  /** Resumes the connection. */
  release: (() => void) | undefined
  /** Runs for the interval after a report. */
  reportTimer: Timer | undefined
  isCompacting: boolean
  hasEnded: boolean
}

const end = (state: State): void => {
  if (state.hasEnded) return
  state.hasEnded = true
  clearTimeout(state.pauseTimer)
  clearTimeout(state.reportTimer)
  state.release?.()
  state.unlisten()
}

const reportExceeded = (state: State): void => {
  if (state.reportTimer !== undefined) return
  state.reportTimer = setTimeout(() => {
    state.reportTimer = undefined
  }, EXCEEDED_INTERVAL_MS)
  state.options.rate.onExceeded()
}

/** Compacts in a microtask: the rest of what the socket has read arrives before. */
const compactSoon = (state: State): void => {
  if (state.isCompacting) return
  state.isCompacting = true
  queueMicrotask(() => {
    state.isCompacting = false
    if (state.pauseTimer !== undefined) state.decoder.compact()
  })
}

const pauseFor = (state: State, delayMs: number): void => {
  state.release ??= state.connection.inboundLimits?.hold()
  compactSoon(state)
  state.pauseTimer = setTimeout(() => {
    state.pauseTimer = undefined
    state.options.onReceived()
    if (!drain(state)) return
    state.release?.()
    state.release = undefined
  }, delayMs)
}

/** Handles the messages that are complete. Returns false when the reader pauses, has ended or has failed. */
const drain = (state: State): boolean => {
  const { stream, decoder, options } = state
  try {
    for (let frame = decoder.next(); frame !== undefined; frame = decoder.next()) {
      const { messages, bytes } = options.rate.now()
      const debtMs = Math.max(messages.take(1), bytes.take(frame.length))
      options.onFrame(frame)
      if (state.hasEnded) return false
      if (debtMs > 0 && stream.status === 'open') {
        reportExceeded(state)
        pauseFor(state, Math.max(debtMs, PAUSE_MIN_MS))
        return false
      }
    }
    return true
  } catch (cause) {
    end(state)
    stream.abort(cause instanceof Error ? cause : new Error(errorText(cause)))
    options.onFailure(cause)
    return false
  }
}

/** Reads length-prefixed messages until the stream ends. Exceeding the rate pauses the whole connection. */
export const receiveFrames = (stream: Stream, connection: Receiver, options: ReceiveOptions): void => {
  const onMessage = ({ data }: StreamMessageEvent): void => {
    options.onReceived()
    for (const chunk of data instanceof Uint8Array ? [data] : data) state.decoder.push(chunk)
    if (state.pauseTimer === undefined) drain(state)
    else compactSoon(state)
  }
  const onClose = (): void => end(state)
  const state: State = {
    stream,
    connection,
    options,
    decoder: createFrameDecoder(options.bytesMax),
    unlisten: () => {
      stream.removeEventListener('message', onMessage)
      stream.removeEventListener('close', onClose)
    },
    pauseTimer: undefined,
    release: undefined,
    reportTimer: undefined,
    isCompacting: false,
    hasEnded: false,
  }
  stream.addEventListener('message', onMessage)
  stream.addEventListener('close', onClose)
  backpressureOf(stream).resume()
}

/** Like `receiveFrames`, for a stream that may be opened before the statuses are exchanged: it is not read until then. */
export const receiveWhenReady = (stream: Stream, connection: Receiver, options: ReceiveOptions): void => {
  backpressureOf(stream).pause()
  void connection.ready.then(ready => {
    if (!ready) return stream.abort(new Error('no status was sent'))
    receiveFrames(stream, connection, options)
  })
}
