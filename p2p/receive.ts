import type { Stream, StreamMessageEvent } from '@libp2p/interface'
import { textOf } from './error.ts'
import { flowOf } from './flow.ts'
import { createFrameDecoder } from './frames.ts'
import type { Link } from './link.ts'
import type { TokenBucket } from './tokenBucket.ts'

/** A reader in debt rests so long at least: waking for each message would be no rest. */
const REST_MIN_MS = 100
/** A peer that goes on sending too much is reported once in this time. */
const EXCEEDED_INTERVAL_MS = 500

export type Rate = { readonly messages: TokenBucket; readonly bytes: TokenBucket }

export type ReceiveOptions = {
  /** Of one message. */
  readonly bytesMax: number
  /** A debt is waited for without reading on, so that the sender's own queue fills. */
  readonly rate: {
    /** Asked for each message. */
    readonly now: () => Rate
    readonly onExceeded: () => void
  }
  /** Bytes came. */
  readonly onHeard: () => void
  readonly onFrame: (frame: Uint8Array) => void
  /** A message that no reader could go on after: too large, or `onFrame` threw. */
  readonly onFailure: (cause: unknown) => void
}

/** Reads length-prefixed messages as they come, until the stream ends. A sender that is too fast waits with all it sends. */
export const receiveFrames = (stream: Stream, link: Link, options: ReceiveOptions): void => {
  const { bytesMax, rate, onHeard, onFrame, onFailure } = options
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

  /** Once the rest of what the socket has handed over is here, too. */
  const compactSoon = (): void => {
    if (compacting) return
    compacting = true
    queueMicrotask(() => {
      compacting = false
      if (waiting !== undefined) decoder.compact()
    })
  }

  const wait = (delayMs: number): void => {
    release ??= link.intake?.hold()
    compactSoon()
    waiting = setTimeout(() => {
      waiting = undefined
      onHeard()
      if (!drain()) return
      release?.()
      release = undefined
    }, delayMs)
  }

  /** False when the reader waits, or has failed. */
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
    onHeard()
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
  flowOf(stream).resume()
}

/** The same for a stream that may be there before the statuses are exchanged: until then it is not read. */
export const receiveWhenReady = (stream: Stream, link: Link, options: ReceiveOptions): void => {
  flowOf(stream).pause()
  void link.ready.then(ready => {
    if (!ready) return stream.abort(new Error('no status was told'))
    receiveFrames(stream, link, options)
  })
}
