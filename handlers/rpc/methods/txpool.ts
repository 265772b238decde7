import { toHex, toQuantity } from '../../../core/bytes/hex.ts'
import type { PooledTransaction } from '../../../core/txpool/pool.ts'
import { type Method, method } from '../method.ts'
import { requireAddress } from '../parameters/values.ts'
import { pendingTransactionShape } from '../shapes/transaction.ts'

const byNonce = (transactions: readonly PooledTransaction[]): Record<string, unknown> =>
  Object.fromEntries(
    transactions.map(one => [one.transaction.nonce.toString(), pendingTransactionShape(one)]),
  )

export const TXPOOL_METHODS: readonly Method[] = [
  method('txpool_besuTransactions', [], (_, { pool }) =>
    pool.list().map(({ transaction, local, addedAtMs }) => ({
      hash: toHex(transaction.hash),
      isReceivedFromLocalSource: local,
      addedToPoolAt: new Date(addedAtMs).toISOString(),
    })),
  ),
  method('txpool_besuStatistics', [], (_, { pool }) => {
    const localCount = pool.list().filter(({ local }) => local).length
    return { maxSize: pool.limits.transactionsMax, localCount, remoteCount: pool.size - localCount }
  }),
  method('txpool_status', [], (_, { pool }) => {
    const { ready, queued } = pool.counts()
    return { pending: toQuantity(ready), queued: toQuantity(queued) }
  }),
  method('txpool_contentFrom', ['address'], ({ params }, { pool }) => {
    const { transactions, ready } = pool.ofSender(requireAddress(params, 0))
    return { pending: byNonce(transactions.slice(0, ready)), queued: byNonce(transactions.slice(ready)) }
  }),
]
