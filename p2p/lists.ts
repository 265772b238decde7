import type { Stream } from '@libp2p/interface'
import { NetworkError, textOf } from './error.ts'
import { encodeFrame } from './frames.ts'
import type { Link } from './link.ts'
import { readFrames } from './readFrames.ts'
import { type Message, messageOf, STALL_TIMEOUT_MS, sendFrames } from './sendFrames.ts'

/** Small items are sent together: a frame costs the network the same, whatever is in it. */
const BATCH_BYTES = 64 * 1024
/** Longest wait of an item for the others of its batch, while a slow disk reads them. */
const BATCH_MS = 20
/** A slow disk may take a while; the next peer is asked after that. */
const SILENCE_MS = 10_000
/** An empty message ends a list, so that one cut short is seen to be. */
const END = encodeFrame()

/** What bounds one request for a list of items, and its answer. */
export type ListLimits = {
  /** Of the request. */
  readonly requestBytesMax: number
  readonly itemBytesMax: number
  /** A list ends with the item that passes this; the rest is asked for again. */
  readonly bytesMax: number
}

/**
 * Sends one request on a stream of its own, and yields the items of the answer as they arrive, `itemsMax` at most.
 * @throws NetworkError when the peer goes, is silent, or sends too much
 */
export async function* requestList(
  link: Link,
  protocol: string,
  request: Uint8Array,
  { itemBytesMax, bytesMax, itemsMax }: ListLimits & { readonly itemsMax: number },
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  const opening = AbortSignal.any([signal, AbortSignal.timeout(SILENCE_MS)])
  const stream = await link.connection.newStream(protocol, { signal: opening }).catch((cause: unknown) => {
    throw new NetworkError('NOT_CONNECTED', `no list can be asked for: ${textOf(cause)}`, { cause })
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
        throw new NetworkError('BAD_MESSAGE', `more than the ${itemsMax} items asked for`)
      if (bytes >= bytesMax) throw new NetworkError('OVERSIZED', `a list of more than ${bytes} bytes`)
      bytes += frame.length
      yield frame
    }
    throw new NetworkError('NOT_CONNECTED', 'the list was cut short')
  } finally {
    if (done) stream.close({ signal: AbortSignal.timeout(SILENCE_MS) }).catch(error => stream.abort(error))
    else stream.abort(new NetworkError('NOT_CONNECTED', 'the list is no longer wanted'))
  }
}

/** Gathers messages for a stream. Its functions throw NetworkError when the peer goes, or reads nothing for long. */
const createBatch = (stream: Stream, pause: () => Promise<void>) => {
  let gathered: Message[] = []
  let bytes = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  const flush = async (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    const sent = gathered
    gathered = []
    bytes = 0
    if (sent.length > 0) await sendFrames(stream, sent, pause)
  }

  return {
    flush,
    add: async (item: Uint8Array): Promise<void> => {
      if (bytes + item.length > BATCH_BYTES) await flush()
      gathered.push(messageOf(item))
      bytes += item.length
      if (item.length > BATCH_BYTES) return flush()
      timer ??= setTimeout(() => {
        // What comes next fails the same way, or the stream has ended already.
        flush().catch(() => undefined)
      }, BATCH_MS)
    },
  }
}

/** Answers one request on its stream. @throws whatever `itemsOf` throws, NetworkError when the peer goes */
export const answerList = async (
  stream: Stream,
  { requestBytesMax, bytesMax }: ListLimits,
  itemsOf: (request: Uint8Array) => AsyncIterable<Uint8Array>,
  pause: () => Promise<void>,
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
