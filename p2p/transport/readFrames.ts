import type { Stream, StreamCloseEvent, StreamMessageEvent } from '@libp2p/interface'
import { NetworkError } from '../error.ts'
import { backpressureOf } from './backpressure.ts'
import { createFrameDecoder } from './frames.ts'

/** Buffered bytes of a slow consumer; beyond it the reader pauses, and the sender waits. */
const READ_AHEAD_BYTES = 1024 * 1024

/**
 * Yields the messages of a stream until the other side ends it.
 * @throws NetworkError when a message is too large, nothing arrives for `silenceMs`, the stream breaks or `signal` aborts
 */
export async function* readFrames(
  stream: Stream,
  options: { readonly bytesMax: number; readonly silenceMs: number; readonly signal?: AbortSignal },
): AsyncGenerator<Uint8Array, void, undefined> {
  const { bytesMax, silenceMs, signal } = options
  const decoder = createFrameDecoder(bytesMax)
  const backpressure = backpressureOf(stream)
  let aheadBytes = 0
  let failure: NetworkError | undefined
  let wake = (): void => undefined

  const onMessage = ({ data }: StreamMessageEvent): void => {
    for (const chunk of data instanceof Uint8Array ? [data] : data) decoder.push(chunk)
    aheadBytes += data.byteLength
    if (aheadBytes > READ_AHEAD_BYTES) backpressure.pause()
    wake()
  }
  const onEnd = (): void => wake()
  const onClose = ({ error }: StreamCloseEvent): void => {
    if (error !== undefined) failure = new NetworkError('NOT_CONNECTED', `the stream broke: ${error.message}`)
    onEnd()
  }
  const onAbort = (): void => {
    failure = new NetworkError('NOT_CONNECTED', 'no longer wanted')
    wake()
  }
  const onSilence = (): void => {
    failure = new NetworkError('TIMEOUT', `silent for ${silenceMs / 1000} s`)
    wake()
  }

  /** The end may be signalled while bytes that arrived with the protocol negotiation are not yet delivered. */
  const isOver = (): boolean =>
    stream.readBufferLength === 0 && (stream.readableEnded || stream.status !== 'open')

  stream.addEventListener('message', onMessage)
  stream.addEventListener('end', onEnd)
  stream.addEventListener('close', onClose)
  signal?.addEventListener('abort', onAbort)
  if (signal?.aborted === true) onAbort()
  try {
    for (;;) {
      const frame = failure === undefined ? decoder.next() : undefined
      if (frame !== undefined) {
        yield frame
        continue
      }
      if (failure !== undefined) throw failure
      if (isOver()) {
        if (decoder.isEmpty) return
        throw new NetworkError('NOT_CONNECTED', 'the stream ended within a message')
      }
      aheadBytes = 0
      const waited = new Promise<void>(resolve => {
        wake = resolve
      })
      backpressure.resume()
      const timer = setTimeout(onSilence, silenceMs)
      await waited
      clearTimeout(timer)
    }
  } finally {
    stream.removeEventListener('message', onMessage)
    stream.removeEventListener('end', onEnd)
    stream.removeEventListener('close', onClose)
    signal?.removeEventListener('abort', onAbort)
  }
}
