import type { Hash } from '../../../core/bytes/bytes.ts'
import { joinRlpList } from '../../../core/rlp/list.ts'
import { iterateRawItems, type RawItem, rawItems, rawString } from '../../../core/rlp/rawItem.ts'
import { encodeRlp, RlpError, rlpBytes, rlpScalar } from '../../../core/rlp/rlp.ts'
import type { EthVersion } from '../base/capabilities.ts'

/** A transaction that is announced by its hash. */
export type TransactionAnnouncement = {
  readonly hash: Hash
  /** EIP-2718 type; undefined in eth/66, whose announcements have none. */
  readonly type: number | undefined
  /** Length of the EIP-2718 encoding. */
  readonly size: number | undefined
}

/** Maximum transactions, or hashes, of one message: Besu disconnects a peer that sends more. */
export const MESSAGE_TRANSACTIONS_MAX = 4096

/** From this first byte on, the bytes are a list: a transaction without a type (EIP-2718). */
const FIRST_LIST_BYTE = 0xc0

/** The EIP-2718 encodings as items of a list: legacy ones stand as they are, typed ones as byte strings. */
export const encodeTransactions = (transactions: readonly Uint8Array[]): Uint8Array =>
  joinRlpList(transactionItems(transactions))

export const transactionItems = (transactions: readonly Uint8Array[]): readonly Uint8Array[] =>
  transactions.map(encoded => ((encoded[0] as number) >= FIRST_LIST_BYTE ? encoded : encodeRlp(encoded)))

/** EIP-2718 encodings of a list, not decoded, and copied: the pool keeps them. @throws RlpError */
export const decodeTransactions = (raw: RawItem): readonly Uint8Array[] => {
  const transactions: Uint8Array[] = []
  for (const item of iterateRawItems(raw, 'transactions')) {
    if (transactions.length === MESSAGE_TRANSACTIONS_MAX)
      throw new RlpError(`more than ${MESSAGE_TRANSACTIONS_MAX} transactions in one message`)
    const isList = (item[0] as number) >= FIRST_LIST_BYTE
    const encoded = isList ? item : rawString(item, 'a transaction')
    if (encoded.length === 0) throw new RlpError('an empty transaction')
    if (!isList && (encoded[0] as number) >= FIRST_LIST_BYTE)
      throw new RlpError('a transaction without a type must be a list, not a byte string')
    transactions.push(encoded.slice())
  }
  return transactions
}

/** eth/68 announces types and sizes, eth/66 only hashes. */
export const encodeTransactionAnnouncements = (
  version: EthVersion,
  announcements: readonly TransactionAnnouncement[],
): Uint8Array => {
  const hashes = announcements.map(({ hash }) => hash)
  if (version === 66) return encodeRlp(hashes)
  const types = Uint8Array.from(announcements, ({ type = 0 }) => type)
  return encodeRlp([types, announcements.map(({ size = 0 }) => size), hashes])
}

const hashItem = (item: RawItem): Hash => rlpBytes(rawString(item, 'a hash'), 'a hash', 32).slice()

/** @throws RlpError when the lists differ in length or are longer than MESSAGE_TRANSACTIONS_MAX */
export const decodeTransactionAnnouncements = (
  version: EthVersion,
  payload: Uint8Array,
): readonly TransactionAnnouncement[] => {
  if (version === 66)
    return rawItems(payload, 'announced hashes', 0, MESSAGE_TRANSACTIONS_MAX).map(item => ({
      hash: hashItem(item),
      type: undefined,
      size: undefined,
    }))
  const [types, sizes, hashes] = rawItems(payload, 'announced transactions', 3) as [RawItem, RawItem, RawItem]
  const typeBytes = rawString(types, 'the types')
  const sizeItems = rawItems(sizes, 'the sizes', typeBytes.length)
  if (typeBytes.length > MESSAGE_TRANSACTIONS_MAX)
    throw new RlpError(`more than ${MESSAGE_TRANSACTIONS_MAX} announced hashes`)
  return rawItems(hashes, 'the hashes', typeBytes.length).map((item, index) => ({
    hash: hashItem(item),
    type: typeBytes[index],
    size: Number(rlpScalar(rawString(sizeItems[index], 'a size'), 'a size', 4)),
  }))
}
