import { toHex } from '../../../core/bytes/hex.ts'
import type { Transaction } from '../../../core/chain/transaction.ts'
import type { BlockRecord } from '../../../core/store/store.ts'
import { recordOf } from '../blocks/blockWithReceipts.ts'
import { RpcError } from '../dispatch/errors.ts'
import { fillTransaction } from '../pool/fillTransaction.ts'
import { type Method, method, type Params } from './method.ts'
import { findMined } from '../blocks/mined.ts'
import { type BlockSelector, requireNumberSelector } from '../parameters/block.ts'
import { given, hashOf, required, requireCount } from '../parameters/values.ts'
import { sendRawTransaction, sendRawTransactions } from '../pool/sendRawTransaction.ts'
import { sendRawTransactionSync } from '../pool/sendRawTransactionSync.ts'
import { receiptShape } from '../shapes/receipt.ts'
import { minedTransactionShape, pendingTransactionShape } from '../shapes/transaction.ts'
import { requireIndex } from './ethBlocks.ts'

type Read = (params: Params) => BlockSelector

const byNumber: Read = params => requireNumberSelector(params, 0, 'INVALID_BLOCK_NUMBER')

// The text is Besu's.
const byHash: Read = params => ({
  kind: 'hash',
  hash: required(hashOf(given(params, 0)), 'INVALID_TRANSACTION_HASH'),
})

const rawShape = ({ block }: BlockRecord, index: number): string =>
  toHex((block.transactions[index] as Transaction).encoded)

const byIndex = (
  name: string,
  param: string,
  read: Read,
  shape: (record: BlockRecord, index: number) => unknown,
): Method =>
  method(name, [param, 'index'], async ({ params }, context) => {
    const selector = read(params)
    const index = requireIndex(params, 'INVALID_TRANSACTION_INDEX')
    const record = await recordOf(context, selector)
    if (record === undefined || index >= record.block.transactions.length) return null
    return shape(record, index)
  })

/** Transactions: read, and sent. */
export const ETH_TRANSACTION_METHODS: readonly Method[] = [
  method('eth_getTransactionByHash', ['transactionHash'], async ({ params }, context) => {
    requireCount(params, 1)
    const hash = required(hashOf(params[0]), 'INVALID_TRANSACTION_HASH')
    const pooled = context.pool.get(hash)
    if (pooled !== undefined) return pendingTransactionShape(pooled)
    const mined = await findMined(context, hash)
    return mined === undefined ? null : minedTransactionShape(mined.record, mined.index)
  }),
  byIndex('eth_getTransactionByBlockNumberAndIndex', 'block', byNumber, minedTransactionShape),
  byIndex('eth_getTransactionByBlockHashAndIndex', 'blockHash', byHash, minedTransactionShape),
  method('eth_getRawTransactionByHash', ['transactionHash'], async ({ params }, context) => {
    const hash = required(hashOf(given(params, 0)), 'INVALID_TRANSACTION_HASH')
    const pooled = context.pool.get(hash)
    if (pooled !== undefined) return toHex(pooled.transaction.encoded)
    const mined = await findMined(context, hash)
    return mined === undefined ? null : rawShape(mined.record, mined.index)
  }),
  byIndex('eth_getRawTransactionByBlockNumberAndIndex', 'block', byNumber, rawShape),
  byIndex('eth_getRawTransactionByBlockHashAndIndex', 'blockHash', byHash, rawShape),
  method('eth_getTransactionReceipt', ['transactionHash'], async ({ params }, context) => {
    const hash = required(hashOf(given(params, 0)), 'INVALID_TRANSACTION_HASH')
    const mined = await findMined(context, hash)
    return mined === undefined ? null : receiptShape(mined.record, mined.index, context.options)
  }),
  method('eth_sendRawTransaction', ['transaction'], sendRawTransaction, {
    handleTogether: sendRawTransactions,
  }),
  method('eth_sendRawTransactionSync', ['transaction', 'timeoutMs?'], sendRawTransactionSync),
  method('eth_fillTransaction', ['call'], fillTransaction),
  method('eth_sendTransaction', ['transaction'], () => {
    throw new RpcError('SEND_TRANSACTION_NOT_SUPPORTED')
  }),
]
