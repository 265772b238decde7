import type { Stream } from '@libp2p/interface'
import type { YieldTurn } from '../../core/scheduler.ts'
import type { PeerConnection } from '../peers/connection.ts'
import { answerList, type ListLimits, requestList } from '../transport/lists.ts'
import type { NetworkHandlers } from '../network.ts'
import { SENT_BLOCK_BYTES_MAX } from './blockMessages.ts'
import { decodeRangeRequest, encodeRangeRequest, RANGE_REQUEST_BYTES } from './rangeRequest.ts'

/** Blocks of one request. Only with small blocks is this reached before the byte limit. */
export const RANGE_BLOCKS_MAX = 1024
/** An answer ends with the block that exceeds this; the requester asks for the rest. */
const RANGE_BYTES_MAX = 8 * 1024 * 1024
/** Concurrent range requests of one peer, in each direction. */
export const RANGES_AT_ONCE_MAX = 4

const LIMITS: ListLimits = {
  requestBytesMax: RANGE_REQUEST_BYTES,
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
  return requestList(
    libp2p,
    protocol,
    encodeRangeRequest({ from, count: itemsMax }),
    { ...LIMITS, itemsMax },
    signal,
  )
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
      const { from, count } = decodeRangeRequest(request)
      return blocks(from, Math.min(count, RANGE_BLOCKS_MAX))
    },
    pause,
  )
