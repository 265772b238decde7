import type { PooledTransaction, TransactionPool } from '../../../core/txpool/pool.ts'
import type { Network } from '../../network.ts'

/**
 * Announces the transactions that came to the pool from RPC; the network gathers those of one moment. Those of peers are
 * passed on by the gossip itself. Nodes that connect later fetch what they lack (poolExchange.ts).
 * @returns the function that ends it
 */
export const startAnnouncingTransactions = (
  pool: TransactionPool,
  network: () => Network | undefined,
): (() => void) =>
  pool.onAdded(({ local, transaction }: PooledTransaction) => {
    if (local) network()?.announceTransactions([transaction.encoded])
  })
