import { errorText } from '../../core/text/errorText.ts'
import type { Connection, Stream } from '@libp2p/interface'
import type { YieldTurn } from '../../core/scheduler.ts'
import { NetworkError } from '../error.ts'
import { inboundLimitsOf } from './inboundLimits.ts'
import { encodeFrame } from './frames.ts'
import { readFrames } from './readFrames.ts'
import { type Message, messageOf, STALL_TIMEOUT_MS, sendFrames } from './sendFrames.ts'

/** Small items are sent in batches of this size: each frame costs the same, whatever its size. */
const BATCH_BYTES = 64 * 1024
/** Maximum delay of an item in its batch, while a slow disk reads the next ones. */
const BATCH_MS = 20
/** Time limit for the next item, generous for a slow disk. The requester then asks the next peer. */
const SILENCE_MS = 10_000
/** An empty message ends a list, so that a truncated one is detected. */
const END = encodeFrame()

/** Limits of a request for a list of items, and of its answer. */
export type ListLimits = {
  readonly requestBytesMax: number
  readonly itemBytesMax: number
  /** A list ends with the item that exceeds this; the requester asks for the rest. */
  readonly bytesMax: number
}

/**
 * Sends a request on a new stream, and yields up to `itemsMax` items of the answer as they arrive.
 * @throws NetworkError when the peer disconnects, is silent, or sends too much
 */
export async function* requestList(
  connection: Connection,
  protocol: string,
  request: Uint8Array,
  { itemBytesMax, bytesMax, itemsMax }: ListLimits & { readonly itemsMax: number },
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  const opening = AbortSignal.any([signal, AbortSignal.timeout(SILENCE_MS)])
  const stream = await connection.newStream(protocol, { signal: opening }).catch((cause: unknown) => {
    throw new NetworkError('NOT_CONNECTED', `the request failed: ${errorText(cause)}`, { cause })
  })
  let done = false
  try {
    stream.send(encodeFrame(request))
    let items = 0
    let bytes = 0
    for await (const frame of readFrames(stream, { bytesMax: itemBytesMax, silenceMs: SILENCE_MS, signal })) {
      if (frame.length === 0) {
        done = true
        return
      }
      if (++items > itemsMax)
        throw new NetworkError('BAD_MESSAGE', `more than the ${itemsMax} requested items`)
      if (bytes >= bytesMax) throw new NetworkError('OVERSIZED', `a list of more than ${bytes} bytes`)
      bytes += frame.length
      inboundLimitsOf(connection)?.asked(frame.length)
      yield frame
    }
    throw new NetworkError('NOT_CONNECTED', 'the list was truncated')
  } finally {
    if (done) stream.close({ signal: AbortSignal.timeout(SILENCE_MS) }).catch(error => stream.abort(error))
    else stream.abort(new NetworkError('NOT_CONNECTED', 'the request was cancelled'))
  }
}

/** Batches messages for a stream. Its functions throw NetworkError when the peer disconnects or stops reading. */
const createBatch = (stream: Stream, pause: YieldTurn) => {
  let batch: Message[] = []
  let bytes = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  const flush = async (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    const sent = batch
    batch = []
    bytes = 0
    if (sent.length > 0) await sendFrames(stream, sent, pause)
  }

  return {
    flush,
    add: async (item: Uint8Array): Promise<void> => {
      if (bytes + item.length > BATCH_BYTES) await flush()
      batch.push(messageOf(item))
      bytes += item.length
      if (item.length > BATCH_BYTES) return flush()
      timer ??= setTimeout(() => {
        // The next send fails the same way, or the stream has ended.
        flush().catch(() => undefined)
      }, BATCH_MS)
    },
  }
}

/** Answers one request on its stream. @throws what `itemsOf` throws, and NetworkError when the peer disconnects */
export const answerList = async (
  stream: Stream,
  { requestBytesMax, bytesMax }: ListLimits,
  itemsOf: (request: Uint8Array) => AsyncIterable<Uint8Array>,
  pause: YieldTurn,
): Promise<void> => {
  for await (const request of readFrames(stream, { bytesMax: requestBytesMax, silenceMs: SILENCE_MS })) {
    let bytes = 0
    const batch = createBatch(stream, pause)
    try {
      for await (const item of itemsOf(request)) {
        await batch.add(item)
        bytes += item.length
        if (bytes >= bytesMax) break
      }
    } finally {
      await batch.flush()
    }
    stream.send(END)
    await stream.close({ signal: AbortSignal.timeout(STALL_TIMEOUT_MS) })
    return
  }
}
