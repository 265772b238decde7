import type { PooledTransaction, TransactionPool } from '../../../core/txpool/pool.ts'
import type { Network } from '../../network.ts'

/**
 * Announces the transactions that this node received over JSON-RPC. Those of peers are forwarded by gossip itself, and peers that
 * connect later fetch the pool (poolSync.ts).
 * @returns the function that stops it
 */
export const startAnnouncingTransactions = (
  pool: TransactionPool,
  network: () => Network | undefined,
): (() => void) =>
  pool.onAdded(({ local, transaction }: PooledTransaction) => {
    if (local) network()?.announceTransactions([transaction.encoded])
  })
