import type { Address, Hash } from '../../../core/bytes/bytes.ts'
import { toHex, toQuantity } from '../../../core/bytes/hex.ts'
import { minBigint } from '../../../core/bytes/integer.ts'
import { type UnsignedTransaction, wireV } from '../../../core/block/codec/transactionItem.ts'
import type { AccessListEntry, Transaction } from '../../../core/block/transaction.ts'
import { keccak256 } from '../../../core/crypto/crypto.ts'
import type { BlockRecord } from '../../../core/store/store.ts'
import type { PooledTransaction } from '../../../core/txpool/pool.ts'

type Json = Record<string, unknown>

export const accessListShape = (entries: readonly AccessListEntry[]): Json[] =>
  entries.map(({ address, storageKeys }) => ({
    address: toHex(address),
    storageKeys: storageKeys.map(toHex),
  }))

const authorizationListShape = (transaction: Transaction): Json[] =>
  transaction.authorizationList.map(({ chainId, address, nonce, yParity, r, s }) => ({
    chainId: toQuantity(chainId),
    address: toHex(address),
    nonce: toQuantity(nonce),
    yParity: toQuantity(yParity),
    r: toQuantity(r),
    s: toQuantity(s),
  }))

/** Wei per gas that the transaction paid in a block with that base fee. */
const effectiveGasPrice = (transaction: Transaction, baseFeePerGas: bigint | undefined): bigint =>
  baseFeePerGas === undefined
    ? transaction.maxFeePerGas
    : minBigint(transaction.maxFeePerGas, baseFeePerGas + transaction.maxPriorityFeePerGas)

type Place = {
  readonly blockHash: Hash
  readonly blockNumber: bigint
  readonly blockTimestamp: bigint
  readonly index: number
}

/** Members in Besu's order; a member that the type does not have is absent, not null. */
const shape = (
  transaction: Transaction,
  sender: Address,
  gasPrice: bigint,
  place: Place | undefined,
): Json => {
  const { type } = transaction
  const json: Json = {}
  if (type >= 1) json['accessList'] = accessListShape(transaction.accessList)
  if (type === 4) json['authorizationList'] = authorizationListShape(transaction)
  json['blockHash'] = place === undefined ? null : toHex(place.blockHash)
  json['blockNumber'] = place === undefined ? null : toQuantity(place.blockNumber)
  if (place !== undefined) json['blockTimestamp'] = toQuantity(place.blockTimestamp)
  if (transaction.chainId !== undefined) json['chainId'] = toQuantity(transaction.chainId)
  else if (place === undefined) json['chainId'] = null
  json['from'] = toHex(sender)
  json['gas'] = toQuantity(transaction.gasLimit)
  json['gasPrice'] = toQuantity(gasPrice)
  if (type >= 2) {
    json['maxPriorityFeePerGas'] = toQuantity(transaction.maxPriorityFeePerGas)
    json['maxFeePerGas'] = toQuantity(transaction.maxFeePerGas)
  }
  if (type === 3) json['maxFeePerBlobGas'] = toQuantity(transaction.maxFeePerBlobGas)
  json['hash'] = toHex(transaction.hash)
  json['input'] = toHex(transaction.data)
  json['nonce'] = toQuantity(transaction.nonce)
  if (place === undefined) json['raw'] = toHex(transaction.encoded)
  json['to'] = transaction.to === undefined ? null : toHex(transaction.to)
  json['transactionIndex'] = place === undefined ? null : toQuantity(place.index)
  json['type'] = toQuantity(type)
  json['value'] = toQuantity(transaction.value)
  if (type >= 1) json['yParity'] = toQuantity(transaction.yParity)
  json['v'] = toQuantity(wireV(transaction))
  json['r'] = toQuantity(transaction.r)
  json['s'] = toQuantity(transaction.s)
  if (type === 3) json['blobVersionedHashes'] = transaction.blobVersionedHashes.map(toHex)
  return json
}

/** A transaction of a block; the index must be within it. */
export const minedTransactionShape = ({ block, hash, senders }: BlockRecord, index: number): Json => {
  const { header } = block
  const transaction = block.transactions[index] as Transaction
  return shape(transaction, senders[index] as Address, effectiveGasPrice(transaction, header.baseFeePerGas), {
    blockHash: hash,
    blockNumber: header.number,
    blockTimestamp: header.timestamp,
    index,
  })
}

/** A transaction of the pool. */
export const pendingTransactionShape = ({ transaction, sender }: PooledTransaction): Json =>
  shape(transaction, sender, transaction.maxFeePerGas, undefined)

/** Members about the block, absent from unsigned transactions. */
const PLACE_MEMBERS: ReadonlySet<string> = new Set(['blockHash', 'blockNumber', 'transactionIndex', 'raw'])

/** An unsigned transaction; `encoded` has zeros for the signature. */
export const unsignedTransactionShape = (
  unsigned: UnsignedTransaction,
  sender: Address,
  encoded: Uint8Array,
): Json => {
  const { type, maxFeePerGas } = unsigned
  const transaction = { ...unsigned, yParity: 0, r: 0n, s: 0n, encoded, hash: keccak256(encoded) }
  const members = Object.entries(shape(transaction, sender, maxFeePerGas, undefined)).filter(
    ([name]) => !PLACE_MEMBERS.has(name) && (name !== 'gasPrice' || type < 2),
  )
  return { ...Object.fromEntries(members), v: '0x0' }
}

/** The notification of newPendingTransactions with `includeTransactions`, in Besu's order. */
export const pendingDetailShape = ({ transaction, sender }: PooledTransaction): Json => {
  const { type } = transaction
  const json: Json = {
    from: toHex(sender),
    gas: toQuantity(transaction.gasLimit),
    gasPrice: type >= 2 ? null : toQuantity(transaction.maxFeePerGas),
    hash: toHex(transaction.hash),
    input: toHex(transaction.data),
    nonce: toQuantity(transaction.nonce),
    to: transaction.to === undefined ? null : toHex(transaction.to),
    type: toQuantity(type),
    value: toQuantity(transaction.value),
  }
  if (type >= 1) json['yParity'] = toQuantity(transaction.yParity)
  if (type <= 2) json['v'] = toQuantity(wireV(transaction))
  json['r'] = toQuantity(transaction.r)
  json['s'] = toQuantity(transaction.s)
  return json
}
