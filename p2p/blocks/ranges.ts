import type { Stream } from '@libp2p/interface'
import type { YieldTurn } from '../../core/scheduler.ts'
import { NetworkError } from '../error.ts'
import type { PeerConnection } from '../peers/connection.ts'
import { answerList, type ListLimits, requestList } from '../transport/lists.ts'
import type { NetworkHandlers } from '../network.ts'
import { SENT_BLOCK_BYTES_MAX } from './blockMessages.ts'

/** Blocks of one request. Only with small blocks is this reached before the byte limit. */
export const RANGE_BLOCKS_MAX = 1024
/** An answer ends with the block that exceeds this; the requester asks for the rest. */
const RANGE_BYTES_MAX = 8 * 1024 * 1024
/** Concurrent range requests of one peer, in each direction. */
export const RANGES_AT_ONCE_MAX = 4

/** from (8 bytes), count (2 bytes) */
const REQUEST_BYTES = 10

const LIMITS: ListLimits = {
  requestBytesMax: REQUEST_BYTES,
  itemBytesMax: SENT_BLOCK_BYTES_MAX,
  bytesMax: RANGE_BYTES_MAX,
}

/**
 * Yields up to `count` block RLPs from `from` on, in ascending order, as they arrive.
 * @throws NetworkError when the peer disconnects, is silent, or sends too much
 */
export const requestRange = (
  { libp2p }: PeerConnection,
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
  return requestList(libp2p, protocol, request, { ...LIMITS, itemsMax }, signal)
}

/** Answers one request on its stream. @throws what `blocks` throws, and NetworkError when the peer disconnects */
export const answerRange = (
  stream: Stream,
  blocks: NetworkHandlers['blocks'],
  pause: YieldTurn,
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
