import { toHex, toQuantity } from '../../../core/bytes/hex.ts'
import type { PooledTransaction } from '../../../core/txpool/pool.ts'
import { RpcError } from '../dispatch/errors.ts'
import { type Method, method } from './method.ts'
import { nextHeadOf } from '../fees/nextHead.ts'
import { given, hashOf, requireAddress, required } from '../parameters/values.ts'
import { contentPieces, inspectText, senderPieces, wholeOf } from '../pool/content.ts'
import { explainPooled } from '../pool/explain.ts'
import { readPendingFilter } from '../pool/pendingFilter.ts'
import { listPieces, pieceHost } from '../shapes/pieces.ts'
import { pendingTransactionShape } from '../shapes/transaction.ts'

/** What Besu tells of where a transaction came from. */
const tracked = ({ transaction, local, addedAtMs }: PooledTransaction): object => ({
  hash: toHex(transaction.hash),
  isReceivedFromLocalSource: local,
  addedToPoolAt: new Date(addedAtMs).toISOString(),
})

export const TXPOOL_METHODS: readonly Method[] = [
  method('txpool_besuTransactions', [], (_, context) => {
    const all = context.pool.list()
    return listPieces(all.length, index => tracked(all[index] as PooledTransaction), pieceHost(context))
  }),
  method('txpool_besuPendingTransactions', ['limit?', 'filter?'], ({ params }, context) => {
    const { pool } = context
    const limit = given(params, 0) ?? pool.size
    if (typeof limit !== 'number' || !Number.isInteger(limit) || limit < 0)
      throw new RpcError('INVALID_TRANSACTION_LIMIT')
    const wanted = readPendingFilter(given(params, 1))
    const all = pool.list().filter(wanted).slice(0, limit)
    const shapeAt = (index: number) => pendingTransactionShape(all[index] as PooledTransaction)
    return listPieces(all.length, shapeAt, pieceHost(context))
  }),
  method('txpool_besuStatistics', [], (_, { pool }) => {
    const localCount = pool.list().filter(({ local }) => local).length
    return { maxSize: pool.limits.transactionsMax, localCount, remoteCount: pool.size - localCount }
  }),
  method('txpool_status', [], (_, { pool }) => {
    const { ready, queued } = pool.counts()
    return { pending: toQuantity(ready), queued: toQuantity(queued) }
  }),
  method('txpool_content', [], (_, context) =>
    contentPieces(
      wholeOf(context.pool),
      { pending: pendingTransactionShape, queued: pendingTransactionShape },
      pieceHost(context),
    ),
  ),
  method('txpool_contentFrom', ['address'], ({ params }, context) =>
    senderPieces(
      context.pool.ofSender(requireAddress(params, 0)),
      pendingTransactionShape,
      pieceHost(context),
    ),
  ),
  method('txpool_inspect', [], (_, context) => {
    const { pool } = context
    const head = nextHeadOf(context)
    const explained = (one: PooledTransaction): string => {
      const text = pool.explain(one.transaction.hash, head)?.text
      return text === undefined ? inspectText(one) : `${inspectText(one)} (${text})`
    }
    // What waits for a nonce is explained without the state.
    return contentPieces(wholeOf(pool), { pending: inspectText, queued: explained }, pieceHost(context))
  }),
  // Not of Besu: why a transaction is not in a block yet, in a sentence.
  method('txpool_explain', ['transactionHash'], async ({ params }, context) => {
    const hash = required(hashOf(given(params, 0)), 'INVALID_TRANSACTION_HASH')
    return (await explainPooled(hash, context)) ?? null
  }),
]
