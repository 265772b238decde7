import { toHex, toQuantity } from '../../../core/bytes/hex.ts'
import type { PooledTransaction } from '../../../core/txpool/pool.ts'
import { RpcError } from '../errors.ts'
import { type Method, method } from '../method.ts'
import { nextHeadOf } from '../nextHead.ts'
import { given, hashOf, requireAddress, required } from '../parameters/values.ts'
import { byAccount, byNonce, inspectText, wholeOf } from '../pool/content.ts'
import { explainPooled } from '../pool/explain.ts'
import { readPendingFilter } from '../pool/pendingFilter.ts'
import { pendingTransactionShape } from '../shapes/transaction.ts'

export const TXPOOL_METHODS: readonly Method[] = [
  method('txpool_besuTransactions', [], (_, { pool }) =>
    pool.list().map(({ transaction, local, addedAtMs }) => ({
      hash: toHex(transaction.hash),
      isReceivedFromLocalSource: local,
      addedToPoolAt: new Date(addedAtMs).toISOString(),
    })),
  ),
  method('txpool_besuPendingTransactions', ['limit?', 'filter?'], ({ params }, { pool }) => {
    const limit = given(params, 0) ?? pool.size
    if (typeof limit !== 'number' || !Number.isInteger(limit) || limit < 0)
      throw new RpcError('INVALID_TRANSACTION_LIMIT')
    const wanted = readPendingFilter(given(params, 1))
    return pool.list().filter(wanted).slice(0, limit).map(pendingTransactionShape)
  }),
  method('txpool_besuStatistics', [], (_, { pool }) => {
    const localCount = pool.list().filter(({ local }) => local).length
    return { maxSize: pool.limits.transactionsMax, localCount, remoteCount: pool.size - localCount }
  }),
  method('txpool_status', [], (_, { pool }) => {
    const { ready, queued } = pool.counts()
    return { pending: toQuantity(ready), queued: toQuantity(queued) }
  }),
  method('txpool_content', [], (_, { pool }) => {
    const { pending, queued } = wholeOf(pool)
    return {
      pending: byAccount(pending, pendingTransactionShape),
      queued: byAccount(queued, pendingTransactionShape),
    }
  }),
  method('txpool_contentFrom', ['address'], ({ params }, { pool }) => {
    const { transactions, ready } = pool.ofSender(requireAddress(params, 0))
    return {
      pending: byNonce(transactions.slice(0, ready), pendingTransactionShape),
      queued: byNonce(transactions.slice(ready), pendingTransactionShape),
    }
  }),
  method('txpool_inspect', [], (_, context) => {
    const { pool } = context
    const head = nextHeadOf(context)
    const { pending, queued } = wholeOf(pool)
    const explained = (one: PooledTransaction): string => {
      const text = pool.explain(one.transaction.hash, head)?.text
      return text === undefined ? inspectText(one) : `${inspectText(one)} (${text})`
    }
    // What waits for a nonce is explained without the state.
    return { pending: byAccount(pending, inspectText), queued: byAccount(queued, explained) }
  }),
  // Not of Besu: why a transaction is not in a block yet, in a sentence.
  method('txpool_explain', ['transactionHash'], async ({ params }, context) => {
    const hash = required(hashOf(given(params, 0)), 'INVALID_TRANSACTION_HASH')
    return (await explainPooled(hash, context)) ?? null
  }),
]
