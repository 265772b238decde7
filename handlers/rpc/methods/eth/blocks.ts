import { toQuantity } from '../../../../core/bytes/hex.ts'
import { rawHeaderHash } from '../../../../core/block/codec/header.ts'
import type { BlockRecord } from '../../../../core/store/store.ts'
import { hasBeaconChain } from '../../parameters/finality.ts'
import { recordOf } from '../../blocks/blockWithReceipts.ts'
import type { RpcContext } from '../../context.ts'
import { type Method, method, type Params } from '../../method.ts'
import { type BlockSelector, readSelector, requireNumberSelector } from '../../parameters/block.ts'
import { flagOf, given, hashOf, required, requireIndex } from '../../parameters/values.ts'
import { blockShape } from '../../shapes/block.ts'
import { blockPieces, listPieces, pieceHost, STEP_ELEMENTS } from '../../shapes/pieces.ts'
import { createReceiptShapes } from '../../shapes/receipt.ts'

/** Reads the block that a request names. @throws RpcError */
export type ReadSelector = (params: Params) => BlockSelector

export const byNumber: ReadSelector = params => requireNumberSelector(params, 0, 'INVALID_BLOCK_NUMBER')

const byHash: ReadSelector = params => ({
  kind: 'hash',
  hash: required(hashOf(given(params, 0)), 'INVALID_BLOCK_HASH'),
})

type Handle = Method['handle']

/** Answers with a value of one block, or null where there is no such block. */
const valueOfBlock =
  (read: ReadSelector, value: (record: BlockRecord) => unknown): Handle =>
  async ({ params }, context) => {
    const record = await recordOf(context, read(params))
    return record === undefined ? null : value(record)
  }

const getBlock =
  (read: ReadSelector): Handle =>
  async ({ params }, context) => {
    const selector = read(params)
    const fullTransactions = required(flagOf(given(params, 1)), 'INVALID_FULL_TRANSACTIONS')
    const record = await recordOf(context, selector)
    if (record === undefined) return null
    const options = { fullTransactions, totalDifficulty: hasTotalDifficulty(context) }
    if (record.block.transactions.length <= STEP_ELEMENTS) return blockShape(record, options)
    return await blockPieces(record, options, pieceHost(context))
  }

const hasTotalDifficulty = ({ chain }: RpcContext): boolean => !hasBeaconChain(chain.configuration)

const transactionCount = ({ block }: BlockRecord): string => toQuantity(block.transactions.length)
const uncleCount = ({ block }: BlockRecord): string => toQuantity(block.ommers.length)

/**
 * QBFT blocks have no ommers. On an imported chain only the header of an ommer is stored: it is shown as a block without
 * transactions and without a total difficulty, as in Besu.
 */
const getUncle =
  (read: ReadSelector): Handle =>
  async ({ params }, context) => {
    const selector = read(params)
    const index = requireIndex(params, 'INVALID_BLOCK_INDEX')
    const ommer = (await recordOf(context, selector))?.block.ommers[index]
    if (ommer === undefined) return null
    return blockShape(
      {
        block: { header: ommer, transactions: [], ommers: [], withdrawals: undefined },
        hash: rawHeaderHash(ommer),
        totalDifficulty: 0n,
        senders: [],
        receipts: [],
      },
      { fullTransactions: false, totalDifficulty: hasTotalDifficulty(context) },
    )
  }

export const ETH_BLOCK_METHODS: readonly Method[] = [
  method({
    name: 'eth_getBlockByNumber',
    summary: 'Returns a block by its number',
    params: { block: 'BlockNumberOrTag', fullTransactions: 'Flag' },
    result: 'Block',
    handle: getBlock(byNumber),
  }),
  method({
    name: 'eth_getBlockByHash',
    summary: 'Returns a block by its hash',
    params: { blockHash: 'Hash', fullTransactions: 'Flag' },
    result: 'Block',
    handle: getBlock(byHash),
  }),
  method({
    name: 'eth_getBlockReceipts',
    summary: 'Returns the receipts of a block',
    params: { block: 'BlockNumberOrTagOrHash' },
    result: 'Receipts',
    handle: async ({ params }, context) => {
      const selector = required(readSelector(params, 0), 'INVALID_BLOCK')
      const record = await recordOf(context, selector)
      return record === undefined
        ? null
        : await listPieces(
            record.receipts.length,
            createReceiptShapes(record, context.options),
            pieceHost(context),
          )
    },
  }),
  method({
    name: 'eth_getBlockTransactionCountByNumber',
    summary: 'Returns the number of transactions in a block',
    params: { block: 'BlockNumberOrTag' },
    result: 'Count',
    handle: valueOfBlock(byNumber, transactionCount),
  }),
  method({
    name: 'eth_getBlockTransactionCountByHash',
    summary: 'Returns the number of transactions in a block',
    params: { blockHash: 'Hash' },
    result: 'Count',
    handle: valueOfBlock(byHash, transactionCount),
  }),
  method({
    name: 'eth_getUncleCountByBlockNumber',
    summary: 'Returns the number of uncles of a block',
    params: { block: 'BlockNumberOrTag' },
    result: 'Count',
    handle: valueOfBlock(byNumber, uncleCount),
  }),
  method({
    name: 'eth_getUncleCountByBlockHash',
    summary: 'Returns the number of uncles of a block',
    params: { blockHash: 'Hash' },
    result: 'Count',
    handle: valueOfBlock(byHash, uncleCount),
  }),
  method({
    name: 'eth_getUncleByBlockNumberAndIndex',
    summary: 'Returns an uncle of a block',
    params: { block: 'BlockNumberOrTag', index: 'Index' },
    result: 'Block',
    handle: getUncle(byNumber),
  }),
  method({
    name: 'eth_getUncleByBlockHashAndIndex',
    summary: 'Returns an uncle of a block',
    params: { blockHash: 'Hash', index: 'Index' },
    result: 'Block',
    handle: getUncle(byHash),
  }),
]
