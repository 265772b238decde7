import { toQuantity } from '../../../core/bytes/hex.ts'
import { rawHeaderHash } from '../../../core/chain/codec/header.ts'
import type { BlockRecord } from '../../../core/store/store.ts'
import { hasBeaconChain } from '../blocks/finality.ts'
import { recordOf } from '../blocks/blockWithReceipts.ts'
import type { RpcContext } from '../context.ts'
import type { RpcErrorName } from '../dispatch/errors.ts'
import { type Method, method, type Params } from './method.ts'
import { type BlockSelector, readSelector, requireNumberSelector } from '../parameters/block.ts'
import { flagOf, given, hashOf, integerOf, required } from '../parameters/values.ts'
import { blockShape } from '../shapes/block.ts'
import { blockPieces, listPieces, pieceHost, STEP_ELEMENTS } from '../shapes/pieces.ts'
import { createReceiptShapes } from '../shapes/receipt.ts'

type Read = (params: Params) => BlockSelector

const byNumber: Read = params => requireNumberSelector(params, 0, 'INVALID_BLOCK_NUMBER')

const byHash: Read = params => ({
  kind: 'hash',
  hash: required(hashOf(given(params, 0)), 'INVALID_BLOCK_HASH'),
})

/** A row that answers something of one block, null where there is none. */
const ofBlock = (
  name: string,
  param: string,
  read: Read,
  answer: (record: BlockRecord, context: RpcContext) => unknown,
): Method =>
  method(name, [param], async ({ params }, context) => {
    const record = await recordOf(context, read(params))
    return record === undefined ? null : answer(record, context)
  })

const getBlock = (name: string, param: string, read: Read): Method =>
  method(name, [param, 'fullTransactions'], async ({ params }, context) => {
    const selector = read(params)
    const fullTransactions = required(flagOf(given(params, 1)), 'INVALID_FULL_TRANSACTIONS')
    const record = await recordOf(context, selector)
    if (record === undefined) return null
    const options = { fullTransactions, totalDifficulty: tellsTotalDifficulty(context) }
    if (record.block.transactions.length <= STEP_ELEMENTS) return blockShape(record, options)
    return await blockPieces(record, options, pieceHost(context))
  })

const tellsTotalDifficulty = ({ chain }: RpcContext): boolean => !hasBeaconChain(chain.configuration)

const transactionCount = ({ block }: BlockRecord): string => toQuantity(block.transactions.length)
const uncleCount = ({ block }: BlockRecord): string => toQuantity(block.ommers.length)

/**
 * Blocks hold no ommers on QBFT; where they do, on an imported chain, the header is all that is kept of one: it is shown as a
 * block without transactions, whose total difficulty nobody has worked out (Besu).
 */
const getUncle = (name: string, param: string, read: Read): Method =>
  method(name, [param, 'index'], async ({ params }, context) => {
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
      { fullTransactions: false, totalDifficulty: tellsTotalDifficulty(context) },
    )
  })

export const requireIndex = (params: Params, error: RpcErrorName): number =>
  Number(required(integerOf(given(params, 1), 31), error))

export const ETH_BLOCK_METHODS: readonly Method[] = [
  getBlock('eth_getBlockByNumber', 'block', byNumber),
  getBlock('eth_getBlockByHash', 'blockHash', byHash),
  method('eth_getBlockReceipts', ['block'], async ({ params }, context) => {
    const selector = required(readSelector(params, 0), 'INVALID_BLOCK')
    const record = await recordOf(context, selector)
    return record === undefined
      ? null
      : await listPieces(
          record.receipts.length,
          createReceiptShapes(record, context.options),
          pieceHost(context),
        )
  }),
  ofBlock('eth_getBlockTransactionCountByNumber', 'block', byNumber, transactionCount),
  ofBlock('eth_getBlockTransactionCountByHash', 'blockHash', byHash, transactionCount),
  ofBlock('eth_getUncleCountByBlockNumber', 'block', byNumber, uncleCount),
  ofBlock('eth_getUncleCountByBlockHash', 'blockHash', byHash, uncleCount),
  getUncle('eth_getUncleByBlockNumberAndIndex', 'block', byNumber),
  getUncle('eth_getUncleByBlockHashAndIndex', 'blockHash', byHash),
]
