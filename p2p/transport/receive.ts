import type { Stream, StreamMessageEvent } from '@libp2p/interface'
import { textOf } from '../error.ts'
import { backpressureOf } from './backpressure.ts'
import { createFrameDecoder } from './frames.ts'
import type { InboundLimits } from './inboundLimits.ts'
import type { TokenBucket } from './tokenBucket.ts'

/** Shortest pause of a reader whose sender exceeds its rate: waking for each message would limit nothing. */
const REST_MIN_MS = 100
/** Interval between two reports of a peer that exceeds its rate. */
const EXCEEDED_INTERVAL_MS = 500

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
  /** While the rate is exceeded nothing is read, so that the queue of the sender fills. */
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

/** Reads length-prefixed messages until the stream ends. Exceeding the rate pauses the whole connection. */
export const receiveFrames = (stream: Stream, connection: Receiver, options: ReceiveOptions): void => {
  const { bytesMax, rate, onReceived, onFrame, onFailure } = options
  const decoder = createFrameDecoder(bytesMax)
  let waiting: ReturnType<typeof setTimeout> | undefined
  let release: (() => void) | undefined
  let compacting = false
  let ended = false
  let reported: ReturnType<typeof setTimeout> | undefined

  const report = (): void => {
    if (reported !== undefined) return
    reported = setTimeout(() => {
      reported = undefined
    }, EXCEEDED_INTERVAL_MS)
    rate.onExceeded()
  }

  /** In a microtask: the rest of what the socket has read arrives first. */
  const compactSoon = (): void => {
    if (compacting) return
    compacting = true
    queueMicrotask(() => {
      compacting = false
      if (waiting !== undefined) decoder.compact()
    })
  }

  const wait = (delayMs: number): void => {
    release ??= connection.inboundLimits?.hold()
    compactSoon()
    waiting = setTimeout(() => {
      waiting = undefined
      onReceived()
      if (!drain()) return
      release?.()
      release = undefined
    }, delayMs)
  }

  /** Returns false when the reader pauses, or has failed. */
  const drain = (): boolean => {
    try {
      for (let frame = decoder.next(); frame !== undefined; frame = decoder.next()) {
        const { messages, bytes } = rate.now()
        const debtMs = Math.max(messages.take(1), bytes.take(frame.length))
        onFrame(frame)
        if (ended) return false
        if (debtMs > 0 && stream.status === 'open') {
          report()
          wait(Math.max(debtMs, REST_MIN_MS))
          return false
        }
      }
      return true
    } catch (cause) {
      end()
      stream.abort(cause instanceof Error ? cause : new Error(textOf(cause)))
      onFailure(cause)
      return false
    }
  }

  const onMessage = ({ data }: StreamMessageEvent): void => {
    onReceived()
    for (const chunk of data instanceof Uint8Array ? [data] : data) decoder.push(chunk)
    if (waiting === undefined) drain()
    else compactSoon()
  }

  const end = (): void => {
    if (ended) return
    ended = true
    clearTimeout(waiting)
    clearTimeout(reported)
    release?.()
    stream.removeEventListener('message', onMessage)
    stream.removeEventListener('close', end)
  }

  stream.addEventListener('message', onMessage)
  stream.addEventListener('close', end)
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
