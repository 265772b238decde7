import { EMPTY_BYTES } from '../../../core/bytes/bytes.ts'
import { encodeReceipt } from '../../../core/block/codec/receipt.ts'
import { wireV } from '../../../core/block/codec/transactionItem.ts'
import type { Receipt } from '../../../core/block/receipt.ts'
import { encodeRlp } from '../../../core/rlp/rlp.ts'
import type { BlockRecord } from '../../../core/store/store.ts'
import { accessListShape } from '../../rpc/shapes/transaction.ts'
import type { RequestScope } from '../context.ts'
import type { LogSource } from './log.ts'
import type { Resolvers } from './resolver.ts'
import { type AccountSource, type BlockSource, type TransactionSource } from './sources.ts'

type AtBlock = { readonly block?: bigint | null }

/** The block whose state an account is read from: the given one, the transaction's, or the latest. */
const numberOf = ({ mined }: TransactionSource, { block }: AtBlock, { rpc }: RequestScope): bigint =>
  block ?? (mined?.record.block ?? rpc.chain.head()).header.number

/** Number of logs in the block before those of each transaction. */
const logStarts = new WeakMap<BlockRecord, readonly number[]>()

const firstLogIndex = (record: BlockRecord, index: number): number => {
  let starts = logStarts.get(record)
  if (starts === undefined) {
    let count = 0
    starts = record.receipts.map(({ logs }) => {
      const start = count
      count += logs.length
      return start
    })
    logStarts.set(record, starts)
  }
  return starts[index] as number
}

/** The encoding inside a list: typed transactions are wrapped into an RLP string. */
const listForm = (type: number, encoded: Uint8Array): Uint8Array =>
  type === 0 ? encoded : encodeRlp(encoded)

/** A field of the receipt; null while the transaction is pending. */
const ofReceipt =
  (read: (receipt: Receipt) => unknown) =>
  ({ mined }: TransactionSource): unknown =>
    mined === undefined ? null : (read(mined.receipt) ?? null)

const revertReasonOf = ofReceipt(({ revertReason }) => revertReason)

/** A field that only some types have. */
const ofTypes =
  (types: readonly number[], read: (source: TransactionSource) => unknown) =>
  (source: TransactionSource): unknown =>
    types.includes(source.transaction.type) ? read(source) : null

const FEE_MARKET = [2, 3, 4]
const BLOB = [3]

export const TRANSACTION_RESOLVERS: Resolvers<TransactionSource> = {
  hash: ({ transaction }) => transaction.hash,
  nonce: ({ transaction }) => transaction.nonce,
  index: ({ mined }) => mined?.index ?? null,
  from: (source, args: AtBlock, scope): AccountSource => ({
    address: source.sender,
    number: numberOf(source, args, scope),
  }),
  to: (source, args: AtBlock, scope): AccountSource | null => {
    const { to } = source.transaction
    return to === undefined ? null : { address: to, number: numberOf(source, args, scope) }
  },
  value: ({ transaction }) => transaction.value,
  gasPrice: ({ transaction, mined }) => mined?.receipt.effectiveGasPrice ?? transaction.maxFeePerGas,
  maxFeePerGas: ofTypes(FEE_MARKET, ({ transaction }) => transaction.maxFeePerGas),
  maxPriorityFeePerGas: ofTypes(FEE_MARKET, ({ transaction }) => transaction.maxPriorityFeePerGas),
  maxFeePerBlobGas: ofTypes(BLOB, ({ transaction }) => transaction.maxFeePerBlobGas),
  effectiveTip: ({ mined }) =>
    mined === undefined
      ? null
      : mined.receipt.effectiveGasPrice - (mined.record.block.header.baseFeePerGas ?? 0n),
  gas: ({ transaction }) => transaction.gasLimit,
  inputData: ({ transaction }) => transaction.data,
  block: ({ mined }): BlockSource | null =>
    mined === undefined ? null : { header: mined.record.block.header, record: mined.record, isOmmer: false },
  status: ofReceipt(({ status }) => (status === undefined ? null : status ? 1n : 0n)),
  gasUsed: ofReceipt(({ gasUsed }) => gasUsed),
  cumulativeGasUsed: ofReceipt(({ cumulativeGasUsed }) => cumulativeGasUsed),
  effectiveGasPrice: ofReceipt(({ effectiveGasPrice }) => effectiveGasPrice),
  blobGasUsed: ofTypes(
    BLOB,
    ofReceipt(({ blobGasUsed }) => blobGasUsed),
  ),
  blobGasPrice: ofTypes(
    BLOB,
    ofReceipt(({ blobGasPrice }) => blobGasPrice),
  ),
  createdContract: (source, args: AtBlock, scope): AccountSource | null => {
    const address = source.mined?.receipt.contractAddress
    return address === undefined ? null : { address, number: numberOf(source, args, scope) }
  },
  logs: ({ mined }): readonly LogSource[] | null => {
    if (mined === undefined) return null
    const { record, index, receipt } = mined
    const first = firstLogIndex(record, index)
    const { number } = record.block.header
    return receipt.logs.map((log, offset) => ({
      log,
      number,
      transactionIndex: index,
      logIndex: first + offset,
    }))
  },
  r: ({ transaction }) => transaction.r,
  s: ({ transaction }) => transaction.s,
  v: ofTypes([0, 1, 2], ({ transaction }) => wireV(transaction)),
  yParity: ofTypes([1, 2, 3, 4], ({ transaction }) => transaction.yParity),
  type: ({ transaction }) => transaction.type,
  accessList: ({ transaction }) => accessListShape(transaction.accessList),
  raw: ({ transaction }) => listForm(transaction.type, transaction.encoded),
  rawReceipt: ({ mined }) =>
    mined === undefined ? EMPTY_BYTES : listForm(mined.receipt.type, encodeReceipt(mined.receipt)),
  blobVersionedHashes: ({ transaction }) => transaction.blobVersionedHashes,
  revertReason: (source, _, { rpc }) => (rpc.options.revertReasons ? revertReasonOf(source) : null),
}
