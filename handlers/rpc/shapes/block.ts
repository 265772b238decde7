import { toHex, toQuantity } from '../../../core/bytes/hex.ts'
import { encodedBlockLength } from '../../../core/block/codec/block.ts'
import type { BlockRecord } from '../../../core/store/store.ts'
import { rawHeaderHash } from '../../../core/block/codec/header.ts'
import type { Transaction } from '../../../core/block/transaction.ts'
import type { Withdrawal } from '../../../core/block/block.ts'
import { minedTransactionShape } from './transaction.ts'

type Json = Record<string, unknown>

const withdrawalShape = ({ index, validatorIndex, address, amountGwei }: Withdrawal): Json => ({
  index: toQuantity(index),
  validatorIndex: toQuantity(validatorIndex),
  address: toHex(address),
  amount: toQuantity(amountGwei),
})

export type BlockShapeOptions = {
  readonly fullTransactions: boolean
  /** Besu still has this member; the execution-apis have removed it. */
  readonly totalDifficulty: boolean
}

/** A block with its members in Besu's order; members of later forks are absent before them. */
export const blockShape = (record: BlockRecord, options: BlockShapeOptions): Json =>
  blockShapeWith(
    record,
    options,
    record.block.transactions.map((_, index) => blockTransaction(record, options, index)),
  )

/** A transaction of a block: its members, or its hash. */
export const blockTransaction = (
  record: BlockRecord,
  { fullTransactions }: BlockShapeOptions,
  index: number,
): unknown =>
  fullTransactions
    ? minedTransactionShape(record, index)
    : toHex((record.block.transactions[index] as Transaction).hash)

/** Like blockShape, with the given transactions. */
export const blockShapeWith = (
  record: BlockRecord,
  options: BlockShapeOptions,
  transactions: readonly unknown[],
): Json => {
  const { block, hash } = record
  const { header } = block
  const json: Json = {
    number: toQuantity(header.number),
    hash: toHex(hash),
    mixHash: toHex(header.mixHash),
    parentHash: toHex(header.parentHash),
    nonce: toHex(header.nonce),
    sha3Uncles: toHex(header.ommersHash),
    logsBloom: toHex(header.logsBloom),
    transactionsRoot: toHex(header.transactionsRoot),
    stateRoot: toHex(header.stateRoot),
    receiptsRoot: toHex(header.receiptsRoot),
    miner: toHex(header.coinbase),
    difficulty: toQuantity(header.difficulty),
  }
  if (options.totalDifficulty && header.difficulty > 0n)
    json['totalDifficulty'] = toQuantity(record.totalDifficulty)
  json['extraData'] = toHex(header.extraData)
  if (header.baseFeePerGas !== undefined) json['baseFeePerGas'] = toQuantity(header.baseFeePerGas)
  json['size'] = toQuantity(encodedBlockLength(block))
  json['gasLimit'] = toQuantity(header.gasLimit)
  json['gasUsed'] = toQuantity(header.gasUsed)
  json['timestamp'] = toQuantity(header.timestamp)
  json['uncles'] = block.ommers.map(ommer => toHex(rawHeaderHash(ommer)))
  json['transactions'] = transactions
  if (header.withdrawalsRoot !== undefined) json['withdrawalsRoot'] = toHex(header.withdrawalsRoot)
  if (block.withdrawals !== undefined) json['withdrawals'] = block.withdrawals.map(withdrawalShape)
  if (header.requestsHash !== undefined) json['requestsHash'] = toHex(header.requestsHash)
  if (header.blobGasUsed !== undefined) json['blobGasUsed'] = toQuantity(header.blobGasUsed)
  if (header.excessBlobGas !== undefined) json['excessBlobGas'] = toQuantity(header.excessBlobGas)
  if (header.parentBeaconBlockRoot !== undefined)
    json['parentBeaconBlockRoot'] = toHex(header.parentBeaconBlockRoot)
  return json
}
