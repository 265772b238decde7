import type { Stream } from '@libp2p/interface'
import type { YieldTurn } from '../../core/scheduler.ts'
import { POOL_TRANSACTION_BYTES_MAX } from '../../core/txpool/limits.ts'
import { NetworkError } from '../error.ts'
import type { PeerConnection } from '../peers/connection.ts'
import { answerList, type ListLimits, requestList } from '../transport/lists.ts'
import type { NetworkHandlers } from '../network.ts'

export const HASH_BYTES = 32
/** Hashes of one request for transactions, and of one item of a list of hashes. */
export const POOL_HASHES_MAX = 1024
/** Hashes that a peer may list: twice the default size of the pool. */
const LISTED_HASHES_MAX = 65_536
/** Concurrent lists of one peer, in each direction. */
export const POOL_LISTS_AT_ONCE_MAX = 2

const LIMITS: ListLimits = {
  requestBytesMax: POOL_HASHES_MAX * HASH_BYTES,
  itemBytesMax: POOL_TRANSACTION_BYTES_MAX,
  bytesMax: 8 * 1024 * 1024,
}

/** An empty request asks for the hashes of the whole pool; any other holds the hashes of the wanted transactions. */
const ALL_HASHES = new Uint8Array(0)

/**
 * The hashes of all transactions in the pool of a peer, joined to at most POOL_HASHES_MAX an item.
 * @throws NetworkError when the peer disconnects, is silent, or sends too much
 */
export const requestPoolHashes = async function* (
  { libp2p }: PeerConnection,
  protocol: string,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  const limits = {
    ...LIMITS,
    itemBytesMax: POOL_HASHES_MAX * HASH_BYTES,
    bytesMax: LISTED_HASHES_MAX * HASH_BYTES,
    itemsMax: LISTED_HASHES_MAX,
  }
  for await (const item of requestList(libp2p, protocol, ALL_HASHES, limits, signal)) {
    if (item.length % HASH_BYTES !== 0)
      throw new NetworkError('BAD_MESSAGE', `a list of hashes of ${item.length} bytes`)
    yield item
  }
}

/**
 * The transactions with these joined hashes, POOL_HASHES_MAX at most, of those that the peer still has.
 * @throws NetworkError when the peer disconnects, is silent, or sends too much
 */
export const requestPoolTransactions = (
  { libp2p }: PeerConnection,
  protocol: string,
  hashes: Uint8Array,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> =>
  requestList(libp2p, protocol, hashes, { ...LIMITS, itemsMax: hashes.length / HASH_BYTES }, signal)

/** Answers one request on its stream. @throws what the handlers throw, and NetworkError when the peer disconnects */
export const answerPoolList = (
  stream: Stream,
  { poolHashes, poolTransactions }: Pick<NetworkHandlers, 'poolHashes' | 'poolTransactions'>,
  pause: YieldTurn,
): Promise<void> =>
  answerList(
    stream,
    LIMITS,
    request => {
      if (request.length === 0) return poolHashes()
      if (request.length % HASH_BYTES !== 0)
        throw new NetworkError('BAD_MESSAGE', `a request for transactions of ${request.length} bytes`)
      return poolTransactions(request)
    },
    pause,
  )
