import { toHex, toQuantity } from '../../../core/bytes/hex.ts'
import type { PooledTransaction } from '../../../core/txpool/pool.ts'
import { RpcError } from '../errors.ts'
import { type Method, method } from '../method.ts'
import { nextHeadOf } from '../fees/nextHead.ts'
import { given, hashOf, requireAddress, required } from '../parameters/values.ts'
import { contentPieces, inspectText, senderPieces, wholeOf } from '../pool/content.ts'
import { explainPooled } from '../pool/explain.ts'
import { readPendingFilter } from '../pool/pendingFilter.ts'
import { listPieces, pieceHost } from '../shapes/pieces.ts'
import { pendingTransactionShape } from '../shapes/transaction.ts'

/** Besu's members about the origin of a transaction. */
const tracked = ({ transaction, local, addedAtMs }: PooledTransaction): object => ({
  hash: toHex(transaction.hash),
  isReceivedFromLocalSource: local,
  addedToPoolAt: new Date(addedAtMs).toISOString(),
})

export const TXPOOL_METHODS: readonly Method[] = [
  method({
    name: 'txpool_besuTransactions',
    summary: 'Returns the pooled transactions with their origin and arrival time',
    params: {},
    result: 'Objects',
    handle: (_, context) => {
      const all = context.pool.list()
      return listPieces(all.length, index => tracked(all[index] as PooledTransaction), pieceHost(context))
    },
  }),
  method({
    name: 'txpool_besuPendingTransactions',
    summary: 'Returns the pooled transactions that match a filter',
    params: { 'limit?': 'Limit', 'filter?': 'PendingFilter' },
    result: 'Objects',
    handle: ({ params }, context) => {
      const { pool } = context
      const limit = given(params, 0) ?? pool.size
      if (typeof limit !== 'number' || !Number.isInteger(limit) || limit < 0)
        throw new RpcError('INVALID_TRANSACTION_LIMIT')
      const matches = readPendingFilter(given(params, 1))
      const all = pool.list().filter(matches).slice(0, limit)
      const shapeAt = (index: number) => pendingTransactionShape(all[index] as PooledTransaction)
      return listPieces(all.length, shapeAt, pieceHost(context))
    },
  }),
  method({
    name: 'txpool_besuStatistics',
    summary: 'Returns the size of the pool',
    params: {},
    result: 'Object',
    handle: (_, { pool }) => {
      const localCount = pool.list().filter(({ local }) => local).length
      return { maxSize: pool.limits.transactionsMax, localCount, remoteCount: pool.size - localCount }
    },
  }),
  method({
    name: 'txpool_status',
    summary: 'Returns the number of executable and of queued transactions',
    params: {},
    result: 'Object',
    handle: (_, { pool }) => {
      const { ready, queued } = pool.counts()
      return { pending: toQuantity(ready), queued: toQuantity(queued) }
    },
  }),
  method({
    name: 'txpool_content',
    summary: 'Returns the pooled transactions by sender and nonce',
    params: {},
    result: 'Object',
    handle: (_, context) =>
      contentPieces(
        wholeOf(context.pool),
        { pending: pendingTransactionShape, queued: pendingTransactionShape },
        pieceHost(context),
      ),
  }),
  method({
    name: 'txpool_contentFrom',
    summary: 'Returns the pooled transactions of one sender',
    params: { address: 'Address' },
    result: 'Object',
    handle: ({ params }, context) =>
      senderPieces(
        context.pool.ofSender(requireAddress(params, 0)),
        pendingTransactionShape,
        pieceHost(context),
      ),
  }),
  method({
    name: 'txpool_inspect',
    summary: 'Returns a one-line summary of each pooled transaction, with the missing nonce of a queued one',
    params: {},
    result: 'Object',
    handle: (_, context) => {
      const { pool } = context
      const head = nextHeadOf(context)
      const explained = (one: PooledTransaction): string => {
        const text = pool.explain(one.transaction.hash, head)?.text
        return text === undefined ? inspectText(one) : `${inspectText(one)} (${text})`
      }
      // A nonce gap is explained without the state.
      return contentPieces(wholeOf(pool), { pending: inspectText, queued: explained }, pieceHost(context))
    },
  }),
  // An extension: one sentence that explains why a transaction is not in a block yet.
  method({
    name: 'txpool_explain',
    summary: 'Explains why a transaction is not in a block yet',
    params: { transactionHash: 'Hash' },
    result: 'Text',
    handle: async ({ params }, context) => {
      const hash = required(hashOf(given(params, 0)), 'INVALID_TRANSACTION_HASH')
      return (await explainPooled(hash, context)) ?? null
    },
  }),
]
