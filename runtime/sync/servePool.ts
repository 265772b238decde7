import type { TransactionPool } from '../../core/txpool/pool.ts'
import type { NetworkHandlers } from '../../p2p/network.ts'
import { POOL_HASHES_MAX } from '../../p2p/gossip/poolLists.ts'
import { createSlice } from '../schedule.ts'
import { HASH_BYTES, joinHashes, splitHashes } from './hashes.ts'

/** Lists the pool for nodes that connect, and gives them the transactions that they lack. */
export const createServePool = (
  pool: TransactionPool,
): Pick<NetworkHandlers, 'poolHashes' | 'poolTransactions'> => ({
  poolHashes: async function* () {
    const pause = createSlice()
    const hashes = pool.list().map(({ transaction }) => transaction.hash)
    for (let at = 0; at < hashes.length; at += POOL_HASHES_MAX) {
      await pause()
      yield joinHashes(hashes.slice(at, at + POOL_HASHES_MAX))
    }
  },
  poolTransactions: async function* (joined) {
    const pause = createSlice()
    for (const hash of splitHashes(joined.subarray(0, POOL_HASHES_MAX * HASH_BYTES))) {
      const found = pool.get(hash)
      if (found !== undefined) yield found.transaction.encoded
      await pause()
    }
  },
})
