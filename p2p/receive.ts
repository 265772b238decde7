import type { Stream, StreamMessageEvent } from '@libp2p/interface'
import { textOf } from './error.ts'
import { createFlow } from './flow.ts'
import { createFrameDecoder } from './frames.ts'
import type { Link } from './link.ts'
import type { TokenBucket } from './tokenBucket.ts'

/** A reader in debt rests so long at least: waking for each message would be no rest. */
const REST_MIN_MS = 100
/** A peer that goes on sending too much is reported once in this time. */
const EXCEEDED_INTERVAL_MS = 1000

export type ReceiveOptions = {
  /** Of one message. */
  readonly bytesMax: number
  /** Asked for each message; a debt is waited for without reading on, so that the sender's own queue fills. */
  readonly rate?: {
    readonly messages: TokenBucket
    readonly bytes: TokenBucket
    readonly onExceeded: () => void
  }
  /** Bytes came. */
  readonly onHeard: () => void
  readonly onFrame: (frame: Uint8Array) => void
  /** A message that no reader could go on after: too large, or `onFrame` threw. */
  readonly onFailure: (cause: unknown) => void
}

/** Reads length-prefixed messages as they come, until the stream ends. */
export const receiveFrames = (stream: Stream, options: ReceiveOptions): void => {
  const { bytesMax, rate, onHeard, onFrame, onFailure } = options
  const decoder = createFrameDecoder(bytesMax)
  const flow = createFlow(stream)
  let waiting: ReturnType<typeof setTimeout> | undefined
  let ended = false
  let reported: ReturnType<typeof setTimeout> | undefined

  const report = (): void => {
    if (reported !== undefined) return
    reported = setTimeout(() => {
      reported = undefined
    }, EXCEEDED_INTERVAL_MS)
    rate?.onExceeded()
  }

  const wait = (delayMs: number): void => {
    flow.pause()
    waiting = setTimeout(() => {
      waiting = undefined
      if (drain() && !ended) flow.resume()
    }, delayMs)
  }

  /** False when the reader waits, or has failed. */
  const drain = (): boolean => {
    try {
      for (let frame = decoder.next(); frame !== undefined; frame = decoder.next()) {
        const debtMs = rate === undefined ? 0 : Math.max(rate.messages.take(1), rate.bytes.take(frame.length))
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
  }

  const end = (): void => {
    if (ended) return
    ended = true
    clearTimeout(waiting)
    clearTimeout(reported)
    stream.removeEventListener('message', onMessage)
    stream.removeEventListener('close', end)
  }

  stream.addEventListener('message', onMessage)
  stream.addEventListener('close', end)
  flow.resume()
}

/** The same for a stream that may be there before the statuses are exchanged: until then it is not read. */
export const receiveWhenReady = (stream: Stream, link: Link, options: ReceiveOptions): void => {
  createFlow(stream).pause()
  void link.ready.then(ready => {
    if (!ready) return stream.abort(new Error('no status was told'))
    receiveFrames(stream, options)
  })
}
