import type { TransactionPool } from '../../../core/txpool/pool.ts'
import { HASH_BYTES, POOL_HASHES_MAX } from '../../gossip/poolLists.ts'
import type { NetworkHandlers } from '../../network.ts'
import type { CreateYield } from '../../../core/scheduler.ts'
import { joinHashes, splitHashes } from '../../gossip/joinedHashes.ts'

/** Lists the hashes of the pool for peers that connect, and sends them the transactions that they request. */
export const createServePool = (
  pool: TransactionPool,
  createYield: CreateYield,
): Pick<NetworkHandlers, 'poolHashes' | 'poolTransactions'> => ({
  poolHashes: async function* () {
    const yieldTurn = createYield()
    const hashes = pool.list().map(({ transaction }) => transaction.hash)
    for (let at = 0; at < hashes.length; at += POOL_HASHES_MAX) {
      await yieldTurn()
      yield joinHashes(hashes.slice(at, at + POOL_HASHES_MAX))
    }
  },
  poolTransactions: async function* (joined) {
    const yieldTurn = createYield()
    for (const hash of splitHashes(joined.subarray(0, POOL_HASHES_MAX * HASH_BYTES))) {
      const found = pool.get(hash)
      if (found !== undefined) yield found.transaction.encoded
      await yieldTurn()
    }
  },
})
