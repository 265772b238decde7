import { type Address, EMPTY_BYTES, type Hash } from '../../bytes/bytes.ts'
import { keccak256 } from '../../crypto/crypto.ts'
import { decodeItems, type RawItem, rawString } from '../../rlp/rawItem.ts'
import { RlpError, type RlpItem, rlpBytes, rlpList, rlpScalar } from '../../rlp/rlp.ts'
import type {
  AccessListEntry,
  Authorization,
  KnownTransaction,
  Transaction,
  TransactionType,
} from '../transaction.ts'
import { encodeEnvelope } from './envelope.ts'
import { withDecodeErrors } from './error.ts'
import { rlpUint64, rlpUint256 } from './scalar.ts'
import { signedItems, type TransactionFields } from './transactionItem.ts'

/** From this first byte on, the bytes are an RLP list, a legacy transaction; lower values are types (EIP-2718). */
const FIRST_LIST_BYTE = 0xc0

/** Number of fields of each type, signature included. */
const FIELD_COUNTS: readonly number[] = [9, 11, 12, 14, 13]

const NO_ENTRIES: readonly never[] = []

const recipient = (item: RlpItem | undefined): Address | undefined => {
  const bytes = rlpBytes(item, 'to')
  if (bytes.length === 0) return undefined
  if (bytes.length !== 20) throw new RlpError(`to must have 20 bytes or none, not ${bytes.length}`)
  return bytes
}

/** Empty values share one object: most transactions have no data. */
const byteString = (item: RlpItem | undefined, what: string): Uint8Array => {
  const bytes = rlpBytes(item, what)
  return bytes.length === 0 ? EMPTY_BYTES : bytes
}

const accessList = (item: RlpItem | undefined): readonly AccessListEntry[] => {
  const entries = rlpList(item, 'accessList')
  if (entries.length === 0) return NO_ENTRIES
  return entries.map(entry => {
    const parts = rlpList(entry, 'an accessList entry')
    if (parts.length !== 2) throw new RlpError(`an accessList entry has 2 fields, not ${parts.length}`)
    return {
      address: rlpBytes(parts[0], 'accessList address', 20),
      storageKeys: rlpList(parts[1], 'accessList storageKeys').map(key =>
        rlpBytes(key, 'accessList storage key', 32),
      ),
    }
  })
}

const authorizationList = (item: RlpItem | undefined): readonly Authorization[] =>
  rlpList(item, 'authorizationList').map(entry => {
    const parts = rlpList(entry, 'an authorization')
    if (parts.length !== 6) throw new RlpError(`an authorization has 6 fields, not ${parts.length}`)
    return {
      chainId: rlpUint256(parts[0], 'authorization chainId'),
      address: rlpBytes(parts[1], 'authorization address', 20),
      nonce: rlpUint64(parts[2], 'authorization nonce'),
      yParity: rlpScalar(parts[3], 'authorization yParity', 1),
      r: rlpUint256(parts[4], 'authorization r'),
      s: rlpUint256(parts[5], 'authorization s'),
    }
  })

const versionedHashes = (item: RlpItem | undefined): readonly Hash[] =>
  rlpList(item, 'blobVersionedHashes').map(hash => rlpBytes(hash, 'a blob versioned hash', 32))

const yParity = (item: RlpItem | undefined): number => {
  const parity = rlpScalar(item, 'yParity', 1)
  if (parity > 1n) throw new RlpError('yParity must be 0 or 1')
  return Number(parity)
}

/** EIP-155: 27 and 28 sign without a chain id, 35 and above with one. */
const legacyV = (item: RlpItem | undefined): { readonly chainId: bigint | undefined; yParity: number } => {
  const v = rlpUint256(item, 'v')
  if (v === 27n || v === 28n) return { chainId: undefined, yParity: Number(v - 27n) }
  if (v < 35n) throw new RlpError(`v must be 27, 28 or at least 35, not ${v}`)
  return { chainId: (v - 35n) >> 1n, yParity: Number((v - 35n) & 1n) }
}

const legacyFields = (items: readonly RlpItem[]): TransactionFields => {
  const gasPrice = rlpUint256(items[1], 'gasPrice')
  const { chainId, yParity } = legacyV(items[6])
  return {
    type: 0,
    chainId,
    nonce: rlpUint64(items[0], 'nonce'),
    maxPriorityFeePerGas: gasPrice,
    maxFeePerGas: gasPrice,
    gasLimit: rlpUint64(items[2], 'gasLimit'),
    to: recipient(items[3]),
    value: rlpUint256(items[4], 'value'),
    data: byteString(items[5], 'data'),
    accessList: NO_ENTRIES,
    maxFeePerBlobGas: 0n,
    blobVersionedHashes: NO_ENTRIES,
    authorizationList: NO_ENTRIES,
    yParity,
    r: rlpUint256(items[7], 'r'),
    s: rlpUint256(items[8], 's'),
  }
}

const typedFields = (type: TransactionType, items: readonly RlpItem[]): TransactionFields => {
  // Type 1 has one price, later types have two, which shifts the fields up to the access list by one.
  const shift = type === 1 ? 0 : 1
  const last = items.length - 3
  const maxPriorityFeePerGas = rlpUint256(items[2], type === 1 ? 'gasPrice' : 'maxPriorityFeePerGas')
  const to = recipient(items[4 + shift])
  if (type === 3 && to === undefined) throw new RlpError('to must not be empty in a blob transaction')
  return {
    type,
    chainId: rlpUint256(items[0], 'chainId'),
    nonce: rlpUint64(items[1], 'nonce'),
    maxPriorityFeePerGas,
    maxFeePerGas: type === 1 ? maxPriorityFeePerGas : rlpUint256(items[3], 'maxFeePerGas'),
    gasLimit: rlpUint64(items[3 + shift], 'gasLimit'),
    to,
    value: rlpUint256(items[5 + shift], 'value'),
    data: byteString(items[6 + shift], 'data'),
    accessList: accessList(items[7 + shift]),
    maxFeePerBlobGas: type === 3 ? rlpUint256(items[9], 'maxFeePerBlobGas') : 0n,
    blobVersionedHashes: type === 3 ? versionedHashes(items[10]) : NO_ENTRIES,
    authorizationList: type === 4 ? authorizationList(items[9]) : NO_ENTRIES,
    yParity: yParity(items[last]),
    r: rlpUint256(items[last + 1], 'r'),
    s: rlpUint256(items[last + 2], 's'),
  }
}

/**
 * A transaction from the decoded list of its fields and its encoding.
 * @throws RlpError
 */
export const transactionOfItems = (
  type: TransactionType,
  items: readonly RlpItem[],
  encoded: Uint8Array,
  hash: Hash = keccak256(encoded),
): Transaction => {
  const count = FIELD_COUNTS[type] as number
  if (items.length !== count) throw new RlpError(`type ${type} has ${count} fields, not ${items.length}`)
  const fields = type === 0 ? legacyFields(items) : typedFields(type, items)
  return { ...fields, encoded, hash }
}

/** The type of an encoded transaction. @throws RlpError for an unknown one. */
export const transactionType = (bytes: Uint8Array): TransactionType => {
  const first = bytes[0]
  if (first === undefined) throw new RlpError('no bytes')
  if (first >= FIRST_LIST_BYTE) return 0
  if (first < 1 || first > 4) throw new RlpError(`type ${first} is unknown`)
  return first as TransactionType
}

/**
 * Decodes a transaction of any type from its EIP-2718 bytes, in the form that blocks contain. Strict: canonical RLP, every
 * field within the range of its EIP, no missing and no extra fields. `encoded`, `data`, `to` and the lists are views of
 * `bytes`, which must not change afterwards.
 * @throws DecodeError
 */
export const decodeTransaction = (bytes: Uint8Array): Transaction =>
  withDecodeErrors('INVALID_TRANSACTION', 'transaction', () => {
    const type = transactionType(bytes)
    return transactionOfItems(type, decodePayload(type, type === 0 ? bytes : bytes.subarray(1)), bytes)
  })

/**
 * Minimum average bytes of an item of a transaction: access lists without storage keys have seven, authorizations (type 4)
 * with invalid signatures almost four. A transaction with more items per byte would fill the memory with objects.
 */
const itemBytesMin = (type: TransactionType): number => (type === 4 ? 3 : 6)

/** Number of items up to which a transaction may have fewer bytes per item. */
const ITEMS_MIN = 64

/** The items of a transaction, also in the form of the network. @throws RlpError */
export const decodePayload = (type: TransactionType, raw: RawItem): RlpItem[] => {
  const itemsMax = Math.max(ITEMS_MIN, Math.ceil(raw.length / itemBytesMin(type)))
  return rlpList(decodeItems(raw, `a payload of ${raw.length} bytes`, itemsMax), 'the payload')
}

/** The type of an item of a block's transaction list and its EIP-2718 bytes, a view. @throws RlpError */
const typedBytes = (raw: RawItem): readonly [type: TransactionType, bytes: Uint8Array] => {
  if ((raw[0] as number) >= FIRST_LIST_BYTE) return [0, raw]
  const bytes = rawString(raw, 'it')
  const type = transactionType(bytes)
  if (type === 0) throw new RlpError('a legacy transaction must be a list, not a byte string')
  return [type, bytes]
}

/**
 * Decodes an item of a block's transaction list: a list for a legacy transaction, a byte string for other types. The fields
 * are views of the block's bytes, and so is `encoded`, except for a legacy transaction. A known transaction, whose bytes are
 * the same because its hash is, is not decoded again.
 * @throws RlpError
 */
export const decodeTransactionItem = (raw: RawItem, known?: KnownTransaction): Transaction => {
  const [type, bytes] = typedBytes(raw)
  const hash = keccak256(bytes)
  const before = known?.(hash)
  if (before !== undefined) return before
  if (type === 0) return transactionOfItems(0, decodePayload(0, raw), raw.slice(), hash)
  return transactionOfItems(type, decodePayload(type, bytes.subarray(1)), bytes, hash)
}

/** EIP-2718 bytes of a signed transaction. */
export const encodeTransaction = (fields: TransactionFields): Uint8Array =>
  encodeEnvelope(fields.type, signedItems(fields))

/** The transaction with these fields. */
export const transactionOf = (fields: TransactionFields): Transaction => {
  const encoded = encodeTransaction(fields)
  return { ...fields, encoded, hash: keccak256(encoded) }
}
