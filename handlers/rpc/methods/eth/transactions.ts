import { toHex } from '../../../../core/bytes/hex.ts'
import type { Transaction } from '../../../../core/block/transaction.ts'
import type { BlockRecord } from '../../../../core/store/store.ts'
import { recordOf } from '../../blocks/blockWithReceipts.ts'
import { RpcError } from '../../errors.ts'
import { sendTransaction } from '../../development/signing.ts'
import { fillTransaction } from '../../pool/fillTransaction.ts'
import { type Method, method } from '../../method.ts'
import { findMined } from '../../blocks/mined.ts'
import { given, hashOf, required, requireCount, requireIndex } from '../../parameters/values.ts'
import { sendRawTransaction, sendRawTransactions } from '../../pool/sendRawTransaction.ts'
import { sendRawTransactionSync } from '../../pool/sendRawTransactionSync.ts'
import { receiptShape } from '../../shapes/receipt.ts'
import { minedTransactionShape, pendingTransactionShape } from '../../shapes/transaction.ts'
import { byNumber, type ReadSelector } from './blocks.ts'

// The text is Besu's.
const byHash: ReadSelector = params => ({
  kind: 'hash',
  hash: required(hashOf(given(params, 0)), 'INVALID_TRANSACTION_HASH'),
})

const rawShape = ({ block }: BlockRecord, index: number): string =>
  toHex((block.transactions[index] as Transaction).encoded)

/** Answers with the transaction at an index of a block, or null where there is none. */
const transactionAt =
  (read: ReadSelector, shape: (record: BlockRecord, index: number) => unknown): Method['handle'] =>
  async ({ params }, context) => {
    const selector = read(params)
    const index = requireIndex(params, 'INVALID_TRANSACTION_INDEX')
    const record = await recordOf(context, selector)
    if (record === undefined || index >= record.block.transactions.length) return null
    return shape(record, index)
  }

/** Methods that read and send transactions. */
export const ETH_TRANSACTION_METHODS: readonly Method[] = [
  method({
    name: 'eth_getTransactionByHash',
    summary: 'Returns a pooled or mined transaction',
    params: { transactionHash: 'Hash' },
    result: 'Transaction',
    handle: async ({ params }, context) => {
      requireCount(params, 1)
      const hash = required(hashOf(params[0]), 'INVALID_TRANSACTION_HASH')
      const pooled = context.pool.get(hash)
      if (pooled !== undefined) return pendingTransactionShape(pooled)
      const mined = await findMined(context, hash)
      return mined === undefined ? null : minedTransactionShape(mined.record, mined.index)
    },
  }),
  method({
    name: 'eth_getTransactionByBlockNumberAndIndex',
    summary: 'Returns a transaction by block and index',
    params: { block: 'BlockNumberOrTag', index: 'Index' },
    result: 'Transaction',
    handle: transactionAt(byNumber, minedTransactionShape),
  }),
  method({
    name: 'eth_getTransactionByBlockHashAndIndex',
    summary: 'Returns a transaction by block and index',
    params: { blockHash: 'Hash', index: 'Index' },
    result: 'Transaction',
    handle: transactionAt(byHash, minedTransactionShape),
  }),
  method({
    name: 'eth_getRawTransactionByHash',
    summary: 'Returns the signed encoding of a pooled or mined transaction',
    params: { transactionHash: 'Hash' },
    result: 'Data',
    handle: async ({ params }, context) => {
      const hash = required(hashOf(given(params, 0)), 'INVALID_TRANSACTION_HASH')
      const pooled = context.pool.get(hash)
      if (pooled !== undefined) return toHex(pooled.transaction.encoded)
      const mined = await findMined(context, hash)
      return mined === undefined ? null : rawShape(mined.record, mined.index)
    },
  }),
  method({
    name: 'eth_getRawTransactionByBlockNumberAndIndex',
    summary: 'Returns the signed encoding of a transaction by block and index',
    params: { block: 'BlockNumberOrTag', index: 'Index' },
    result: 'Data',
    handle: transactionAt(byNumber, rawShape),
  }),
  method({
    name: 'eth_getRawTransactionByBlockHashAndIndex',
    summary: 'Returns the signed encoding of a transaction by block and index',
    params: { blockHash: 'Hash', index: 'Index' },
    result: 'Data',
    handle: transactionAt(byHash, rawShape),
  }),
  method({
    name: 'eth_getTransactionReceipt',
    summary: 'Returns the receipt of a transaction',
    params: { transactionHash: 'Hash' },
    result: 'Receipt',
    handle: async ({ params }, context) => {
      const hash = required(hashOf(given(params, 0)), 'INVALID_TRANSACTION_HASH')
      const mined = await findMined(context, hash)
      return mined === undefined ? null : receiptShape(mined.record, mined.index, context.options)
    },
  }),
  method({
    name: 'eth_sendRawTransaction',
    summary: 'Adds a signed transaction to the pool',
    params: { transaction: 'SignedTransaction' },
    result: 'Hash',
    handle: sendRawTransaction,
    handleMany: sendRawTransactions,
  }),
  method({
    name: 'eth_sendRawTransactionSync',
    summary: 'Adds a signed transaction to the pool and waits for its receipt (EIP-7966)',
    params: { transaction: 'SignedTransaction', 'timeoutMs?': 'Milliseconds' },
    result: 'Receipt',
    handle: sendRawTransactionSync,
  }),
  method({
    name: 'eth_fillTransaction',
    summary: 'Fills in the missing fields of a transaction, ready to be signed',
    params: { call: 'Call' },
    result: 'Object',
    handle: fillTransaction,
  }),
  method({
    name: 'eth_sendTransaction',
    summary: 'Signs and sends a transaction of an unlocked account; on a development chain alone',
    params: { transaction: 'Call' },
    result: 'Hash',
    handle: (call, context) => {
      if (context.development === undefined) throw new RpcError('SEND_TRANSACTION_NOT_SUPPORTED')
      return sendTransaction(call, context)
    },
  }),
]
