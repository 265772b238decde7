import type { Stream } from '@libp2p/interface'
import { NetworkError } from './error.ts'
import type { Link } from './link.ts'
import { answerList, type ListLimits, requestList } from './lists.ts'
import type { NetworkHandlers } from './network.ts'

/** Blocks of one request. */
export const RANGE_BLOCKS_MAX = 1024
/** A range ends with the block that passes this; the rest is asked for again. */
export const RANGE_BYTES_MAX = 8 * 1024 * 1024
/** Ranges that one peer may be sent, and send, at once. */
export const RANGES_AT_ONCE_MAX = 4

/** from (8 bytes), count (2 bytes) */
const REQUEST_BYTES = 10

const LIMITS: ListLimits = {
  requestBytesMax: REQUEST_BYTES,
  itemBytesMax: 16 * 1024 * 1024,
  bytesMax: RANGE_BYTES_MAX,
}

/**
 * Block RLPs from `from` on, in ascending order, `count` at most, as they arrive.
 * @throws NetworkError when the peer goes, is silent, or sends too much
 */
export const requestRange = (
  link: Link,
  protocol: string,
  from: bigint,
  count: number,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> => {
  const itemsMax = Math.min(count, RANGE_BLOCKS_MAX)
  const request = new Uint8Array(REQUEST_BYTES)
  const view = new DataView(request.buffer)
  view.setBigUint64(0, from)
  view.setUint16(8, itemsMax)
  return requestList(link, protocol, request, { ...LIMITS, itemsMax }, signal)
}

/** Answers one request on its stream. @throws whatever `blocks` throws, NetworkError when the peer goes */
export const answerRange = (
  stream: Stream,
  blocks: NetworkHandlers['blocks'],
  pause: () => Promise<void>,
): Promise<void> =>
  answerList(
    stream,
    LIMITS,
    request => {
      if (request.length !== REQUEST_BYTES)
        throw new NetworkError('BAD_MESSAGE', `a range request of ${request.length} bytes`)
      const view = new DataView(request.buffer, request.byteOffset, request.byteLength)
      return blocks(view.getBigUint64(0), Math.min(view.getUint16(8), RANGE_BLOCKS_MAX))
    },
    pause,
  )
