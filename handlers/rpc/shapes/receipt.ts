import type { Address } from '../../../core/bytes/bytes.ts'
import { toHex, toQuantity } from '../../../core/bytes/hex.ts'
import type { Log, Receipt } from '../../../core/block/receipt.ts'
import type { Transaction } from '../../../core/block/transaction.ts'
import { type BlockLogs, logsOfRecord } from '../../../core/store/logs/blockLogs.ts'
import type { BlockRecord } from '../../../core/store/store.ts'
import type { RpcOptions } from '../context.ts'

type Json = Record<string, unknown>

/** Position of a log. */
type LogPlace = { readonly record: BlockRecord; readonly transactionIndex: number; readonly logIndex: number }

const transactionHash = ({ record, transactionIndex }: LogPlace): string =>
  toHex((record.block.transactions[transactionIndex] as Transaction).hash)

/** A log of a receipt, in Besu's order. */
export const receiptLogShape = (log: Log, place: LogPlace): Json => ({
  address: toHex(log.address),
  topics: log.topics.map(toHex),
  data: toHex(log.data),
  blockNumber: toQuantity(place.record.block.header.number),
  transactionHash: transactionHash(place),
  transactionIndex: toQuantity(place.transactionIndex),
  blockHash: toHex(place.record.hash),
  blockTimestamp: toQuantity(place.record.block.header.timestamp),
  logIndex: toQuantity(place.logIndex),
  removed: false,
})

/** A log of eth_getLogs and filters: the same members in Besu's other order. */
export const foundLogShape = (
  log: Log,
  block: BlockLogs,
  transactionIndex: number,
  logIndex: number,
): Json => ({
  logIndex: toQuantity(logIndex),
  removed: false,
  blockNumber: toQuantity(block.number),
  blockHash: toHex(block.hash),
  blockTimestamp: toQuantity(block.timestamp),
  transactionHash: toHex(block.transactionHash(transactionIndex)),
  transactionIndex: toQuantity(transactionIndex),
  address: toHex(log.address),
  data: toHex(log.data),
  topics: log.topics.map(toHex),
})

/** Like `foundLogShape`, for a loaded block. */
export const logShape = (log: Log, { record, transactionIndex, logIndex }: LogPlace): Json =>
  foundLogShape(log, logsOfRecord(record), transactionIndex, logIndex)

type ReceiptOptions = Pick<RpcOptions, 'revertReasons'>

/** The receipt of the transaction at `index`; `firstLogIndex` is the number of logs before its own. */
const receiptAt = (
  record: BlockRecord,
  index: number,
  firstLogIndex: number,
  { revertReasons }: ReceiptOptions,
): Json => {
  const { block, hash, senders, receipts } = record
  const receipt = receipts[index] as Receipt
  const transaction = block.transactions[index] as Transaction
  const json: Json = {
    blockHash: toHex(hash),
    blockNumber: toQuantity(block.header.number),
    contractAddress: receipt.contractAddress === undefined ? null : toHex(receipt.contractAddress),
    cumulativeGasUsed: toQuantity(receipt.cumulativeGasUsed),
    from: toHex(senders[index] as Address),
    gasUsed: toQuantity(receipt.gasUsed),
    effectiveGasPrice: toQuantity(receipt.effectiveGasPrice),
    logs: receipt.logs.map((log, offset) =>
      receiptLogShape(log, { record, transactionIndex: index, logIndex: firstLogIndex + offset }),
    ),
    logsBloom: toHex(receipt.logsBloom),
  }
  if (receipt.postStateRoot !== undefined) json['root'] = toHex(receipt.postStateRoot)
  else json['status'] = receipt.status === true ? '0x1' : '0x0'
  json['to'] = transaction.to === undefined ? null : toHex(transaction.to)
  json['transactionHash'] = toHex(transaction.hash)
  json['transactionIndex'] = toQuantity(index)
  if (revertReasons && receipt.revertReason !== undefined) json['revertReason'] = toHex(receipt.revertReason)
  json['type'] = toQuantity(receipt.type)
  if (receipt.type === 3) {
    json['blobGasUsed'] = toQuantity(receipt.blobGasUsed)
    json['blobGasPrice'] = toQuantity(receipt.blobGasPrice)
  }
  return json
}

/** Number of logs in the block before those of the transaction at `index`. */
const logsBefore = (receipts: readonly Receipt[], index: number): number => {
  let count = 0
  for (let i = 0; i < index; i++) count += (receipts[i] as Receipt).logs.length
  return count
}

/** One receipt; the index must be within the block. */
export const receiptShape = (record: BlockRecord, index: number, options: ReceiptOptions): Json =>
  receiptAt(record, index, logsBefore(record.receipts, index), options)

/** Creates the receipts of a block in order, one at a time. */
export const createReceiptShapes = (
  record: BlockRecord,
  options: ReceiptOptions,
): ((index: number) => Json) => {
  let logIndex = 0
  return index => {
    const json = receiptAt(record, index, logIndex, options)
    logIndex += (record.receipts[index] as Receipt).logs.length
    return json
  }
}
