import type { Stream } from '@libp2p/interface'
import { NetworkError, textOf } from './error.ts'
import { type Message, messageOf, STALL_TIMEOUT_MS, sendFrames } from './sendFrames.ts'
import { encodeFrame } from './frames.ts'
import type { Link } from './link.ts'
import type { NetworkHandlers } from './network.ts'
import { readFrames } from './readFrames.ts'

/** Blocks of one request. */
export const RANGE_BLOCKS_MAX = 1024
/** A range ends with the block that passes this; the rest is asked for again. */
export const RANGE_BYTES_MAX = 8 * 1024 * 1024
/** Of one block. */
const BLOCK_BYTES_MAX = 16 * 1024 * 1024
/** Ranges that one peer may be sent, and send, at once. */
export const RANGES_AT_ONCE_MAX = 4
/** Small blocks are sent together: a frame costs the network the same, whatever is in it. */
const BATCH_BYTES = 64 * 1024
/** For which those of a slow disk wait. */
const BATCH_MS = 20
/** A slow disk may take a while; the next peer is asked after that. */
const SILENCE_MS = 10_000

/** from (8 bytes), count (2 bytes) */
const REQUEST_BYTES = 10
/** An empty message ends a range, so that one cut short is seen to be. */
const END = encodeFrame()

/**
 * Block RLPs from `from` on, in ascending order, `count` at most, as they arrive.
 * @throws NetworkError when the peer goes, is silent, or sends too much
 */
export async function* requestRange(
  link: Link,
  protocol: string,
  from: bigint,
  count: number,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  const wanted = Math.min(count, RANGE_BLOCKS_MAX)
  const request = new Uint8Array(REQUEST_BYTES)
  const view = new DataView(request.buffer)
  view.setBigUint64(0, from)
  view.setUint16(8, wanted)
  const opening = AbortSignal.any([signal, AbortSignal.timeout(SILENCE_MS)])
  const stream = await link.connection.newStream(protocol, { signal: opening }).catch((cause: unknown) => {
    throw new NetworkError('NOT_CONNECTED', `no range can be asked for: ${textOf(cause)}`, { cause })
  })
  let done = false
  try {
    stream.send(encodeFrame(request))
    let blocks = 0
    let bytes = 0
    for await (const frame of readFrames(stream, {
      bytesMax: BLOCK_BYTES_MAX,
      silenceMs: SILENCE_MS,
      signal,
    })) {
      if (frame.length === 0) {
        done = true
        return
      }
      if (++blocks > wanted) throw new NetworkError('BAD_MESSAGE', `more than the ${wanted} blocks asked for`)
      if (bytes >= RANGE_BYTES_MAX) throw new NetworkError('OVERSIZED', `a range of more than ${bytes} bytes`)
      bytes += frame.length
      yield frame
    }
    throw new NetworkError('NOT_CONNECTED', 'the range was cut short')
  } finally {
    if (done) stream.close({ signal: AbortSignal.timeout(SILENCE_MS) }).catch(error => stream.abort(error))
    else stream.abort(new NetworkError('NOT_CONNECTED', 'the range is no longer wanted'))
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
    add: async (block: Uint8Array): Promise<void> => {
      if (bytes + block.length > BATCH_BYTES) await flush()
      gathered.push(messageOf(block))
      bytes += block.length
      if (block.length > BATCH_BYTES) return flush()
      timer ??= setTimeout(() => {
        // What comes next fails the same way, or the stream has ended already.
        flush().catch(() => undefined)
      }, BATCH_MS)
    },
  }
}

/** Answers one request on its stream. @throws whatever `blocks` throws, NetworkError when the peer goes */
export const answerRange = async (
  stream: Stream,
  blocks: NetworkHandlers['blocks'],
  pause: () => Promise<void>,
): Promise<void> => {
  for await (const request of readFrames(stream, { bytesMax: REQUEST_BYTES, silenceMs: SILENCE_MS })) {
    if (request.length !== REQUEST_BYTES)
      throw new NetworkError('BAD_MESSAGE', `a range request of ${request.length} bytes`)
    const view = new DataView(request.buffer, request.byteOffset, request.byteLength)
    const count = Math.min(view.getUint16(8), RANGE_BLOCKS_MAX)
    let bytes = 0
    const batch = createBatch(stream, pause)
    try {
      for await (const block of blocks(view.getBigUint64(0), count)) {
        await batch.add(block)
        bytes += block.length
        if (bytes >= RANGE_BYTES_MAX) break
      }
    } finally {
      await batch.flush()
    }
    stream.send(END)
    await stream.close({ signal: AbortSignal.timeout(STALL_TIMEOUT_MS) })
    return
  }
}
