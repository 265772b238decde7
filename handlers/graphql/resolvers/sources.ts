import type { GraphQLResolveInfo } from 'graphql'
import type { Address } from '../../../core/bytes/bytes.ts'
import type { Header } from '../../../core/block/header.ts'
import type { Receipt } from '../../../core/block/receipt.ts'
import type { Transaction } from '../../../core/block/transaction.ts'
import type { BlockRecord } from '../../../core/store/store.ts'
import { headerOf, recordOf } from '../../rpc/blocks/blockWithReceipts.ts'
import type { BlockSelector } from '../../rpc/parameters/block.ts'
import type { RequestScope } from '../context.ts'
import { selectionOf } from './selection.ts'

/** A block; its body is loaded where a field needs it, and never for an ommer. */
export type BlockSource = {
  readonly header: Header
  readonly record: BlockRecord | undefined
  readonly isOmmer: boolean
}

export type TransactionSource = {
  readonly transaction: Transaction
  readonly sender: Address
  /** Undefined while the transaction is pending. */
  readonly mined:
    | { readonly record: BlockRecord; readonly index: number; readonly receipt: Receipt }
    | undefined
}

/** An account in the state after a block. */
export type AccountSource = { readonly address: Address; readonly number: bigint }

export const minedTransaction = (record: BlockRecord, index: number): TransactionSource => ({
  transaction: record.block.transactions[index] as Transaction,
  sender: record.senders[index] as Address,
  mined: { record, index, receipt: record.receipts[index] as Receipt },
})

/** Fields of a block that need no body. */
const HEADER_FIELDS: ReadonlySet<string> = new Set(
  `__typename number hash parent nonce transactionsRoot stateRoot receiptsRoot miner extraData gasLimit gasUsed baseFeePerGas
  nextBaseFeePerGas timestamp logsBloom mixHash difficulty ommerHash logs account call estimateGas rawHeader withdrawalsRoot
  blobGasUsed excessBlobGas proposer round seals`.split(/\s+/),
)

const wantsBody = selectionOf(field => !HEADER_FIELDS.has(field))

/** The selected block with the parts that the query needs; undefined where there is none. */
export const readBlock = async (
  { rpc }: RequestScope,
  selector: BlockSelector,
  info: GraphQLResolveInfo,
): Promise<BlockSource | undefined> => {
  if (wantsBody(info)) {
    const record = await recordOf(rpc, selector)
    return record === undefined ? undefined : { header: record.block.header, record, isOmmer: false }
  }
  const header = await headerOf(rpc, selector)
  return header === undefined ? undefined : { header, record: undefined, isOmmer: false }
}
