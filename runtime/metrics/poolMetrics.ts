import type { TransactionPool } from '../../core/txpool/pool.ts'
import type { Meters } from './registry.ts'

const SOURCES = ['local', 'remote'] as const
type Source = (typeof SOURCES)[number]

const sourceOf = ({ local }: { readonly local: boolean }): Source => (local ? 'local' : 'remote')

const countBySource = (pool: TransactionPool): Record<Source, number> => {
  const counts = { local: 0, remote: 0 }
  for (const pooled of pool.list()) counts[sourceOf(pooled)]++
  return counts
}

/** Metrics of the transaction pool. Returns the function that ends them. */
export const addPoolMetrics = (meters: Meters, pool: TransactionPool): (() => void) => {
  if (!meters.has('TRANSACTION_POOL')) return () => undefined
  /** Per source, what came in and is neither dropped nor pooled has been mined. */
  const added = { local: 0, remote: 0 }
  const dropped = { local: 0, remote: 0 }
  const before = countBySource(pool)
  const unsubscribes = [
    pool.onAdded(pooled => {
      added[sourceOf(pooled)]++
    }),
    pool.onDropped(pooled => {
      dropped[sourceOf(pooled)]++
    }),
  ]
  meters.onCollect(() => {
    const pooled = countBySource(pool)
    for (const source of SOURCES) {
      const mined = Math.max(0, before[source] + added[source] - dropped[source] - pooled[source])
      const removed = 'besu_transaction_pool_transactions_removed_total'
      meters.total('besu_transaction_pool_transactions_added_total', added[source], { source })
      meters.total(removed, dropped[source], { source, operation: 'dropped' })
      meters.total(removed, mined, { source, operation: 'addedToBlock' })
    }
    const { ready, queued } = pool.counts()
    meters.set('besu_transaction_pool_transactions', pool.size)
    meters.set('besu_transaction_pool_number_of_transactions', ready, { layer: 'ready' })
    meters.set('besu_transaction_pool_number_of_transactions', queued, { layer: 'sparse' })
    meters.set('besu_transaction_pool_space_used', pool.bytes, { layer: 'all' })
    meters.set('besu_transaction_pool_unique_senders', pool.senderCount, { layer: 'all' })
  })
  return () => {
    for (const unsubscribe of unsubscribes) unsubscribe()
  }
}
