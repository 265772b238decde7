import { toHex } from '../../../../core/bytes/hex.ts'
import { encodeHeader } from '../../../../core/block/codec/header.ts'
import { encodeReceipt } from '../../../../core/block/codec/receipt.ts'
import type { Receipt } from '../../../../core/block/receipt.ts'
import { listPieces, pieceHost } from '../../shapes/pieces.ts'
import { recordOf, headerOf } from '../../blocks/blockWithReceipts.ts'
import { RpcError } from '../../errors.ts'
import { type Method, method, type Params } from '../../method.ts'
import {
  blockNumberOf,
  type BlockSelector,
  readSelector,
  requireNumberSelector,
} from '../../parameters/block.ts'
import { given, hashOf, required } from '../../parameters/values.ts'
import { findMined } from '../../blocks/mined.ts'

/** These newer methods refuse values without 0x, as in the execution-apis. */
const requirePrefix = (params: Params): Params => {
  const value = given(params, 0)
  if (typeof value === 'string' && /^[0-9a-fA-F]+$/.test(value))
    throw new RpcError('INVALID_PARAMS', { data: '0x is missing' })
  return params
}

const numberSelector = (params: Params): BlockSelector =>
  requireNumberSelector(requirePrefix(params), 0, 'INVALID_BLOCK_NUMBER')

/** Encoded blocks, headers and receipts, for tools that verify them. */
export const DEBUG_RAW_METHODS: readonly Method[] = [
  method({
    name: 'debug_getRawHeader',
    summary: 'Returns the RLP of a header',
    params: { block: 'BlockNumberOrTag' },
    result: 'Data',
    handle: async ({ params }, context) => {
      const header = await headerOf(context, numberSelector(params))
      return toHex(encodeHeader(required(header, 'BLOCK_NOT_FOUND')))
    },
  }),
  method({
    name: 'debug_getRawBlock',
    summary: 'Returns the RLP of a block',
    params: { block: 'BlockNumberOrTag' },
    result: 'Data',
    handle: async ({ params }, context) => {
      const number = required(await blockNumberOf(context, numberSelector(params)), 'BLOCK_NOT_FOUND')
      return toHex(required(await context.chain.store.blockBytes(number), 'BLOCK_NOT_FOUND'))
    },
  }),
  method({
    name: 'debug_getRawReceipts',
    summary: 'Returns the consensus encoding of the receipts of a block',
    params: { block: 'BlockNumberOrTagOrHash' },
    result: 'DataList',
    handle: async ({ params }, context) => {
      const selector = required(readSelector(requirePrefix(params), 0), 'INVALID_BLOCK')
      const record = await recordOf(context, selector)
      if (record === undefined) return null
      const { receipts } = record
      return await listPieces(
        receipts.length,
        index => toHex(encodeReceipt(receipts[index] as Receipt)),
        pieceHost(context),
      )
    },
  }),
  method({
    name: 'debug_getRawTransaction',
    summary: 'Returns the signed encoding of a transaction',
    params: { transactionHash: 'Hash' },
    result: 'Data',
    handle: async ({ params }, context) => {
      const hash = required(hashOf(given(requirePrefix(params), 0)), 'INVALID_TRANSACTION_HASH')
      const mined = await findMined(context, hash)
      if (mined === undefined) return null
      const transaction = mined.record.block.transactions[mined.index]
      return transaction === undefined ? null : toHex(transaction.encoded)
    },
  }),
]
