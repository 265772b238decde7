import { countItems, iterateRawItems, type RawItem, rawItems } from '../../rlp/rawItem.ts'
import { decodeRlp, encodeRlp, RlpError, type RlpItem } from '../../rlp/rlp.ts'
import { runSteps, type Steps } from '../../steps.ts'
import type { Block } from '../block.ts'
import type { Header } from '../header.ts'
import type { Transaction } from '../transaction.ts'
import { decoding, decodingSteps } from './error.ts'
import { decodeHeaderItem, encodeHeader, headerItem } from './header.ts'
import { joinRlpList, rlpListPieces } from '../../rlp/list.ts'
import { encodedLength, LIST_HEAD, STRING_HEAD, writeHead } from '../../rlp/write.ts'
import { decodeTransactionItem } from './transaction.ts'
import { decodeWithdrawalItem, withdrawalItem } from './withdrawal.ts'

/** What a block holds beside its header. */
export type BlockBody = Omit<Block, 'header'>

/** Transactions of one step of encoding: a millisecond or two where memory is slow to be had. */
const ENCODING_STEP_ITEMS = 512

const transactionsLength = (transactions: readonly Transaction[]): number => {
  let length = 0
  for (const { type, encoded } of transactions)
    length += type === 0 ? encoded.length : encodedLength(encoded.length)
  return length
}

/**
 * A legacy transaction stands in the list as it is, a typed one as a byte string (EIP-2718). Each is copied once, without
 * anything made for it: a block has thousands, and is encoded for its proposal, the record of it and its segment.
 */
function* encodedTransactions(transactions: readonly Transaction[]): Steps<Uint8Array> {
  const length = transactionsLength(transactions)
  const bytes = new Uint8Array(encodedLength(length))
  let at = writeHead(bytes, 0, LIST_HEAD, length)
  let done = 0
  for (const { type, encoded } of transactions) {
    if (type !== 0) at = writeHead(bytes, at, STRING_HEAD, encoded.length)
    bytes.set(encoded, at)
    at += encoded.length
    if (++done % ENCODING_STEP_ITEMS === 0) yield
  }
  return bytes
}

/** What follows the transactions. */
const encodedRest = ({ ommers, withdrawals }: BlockBody): Uint8Array[] => {
  const lists = [encodeRlp(ommers.map(headerItem))]
  if (withdrawals !== undefined) lists.push(encodeRlp(withdrawals.map(withdrawalItem)))
  return lists
}

function* encodedBody(body: BlockBody): Steps<Uint8Array[]> {
  return [yield* encodedTransactions(body.transactions), ...encodedRest(body)]
}

/**
 * Block RLP: `[header, transactions, ommers]`, from Shanghai on with a fourth list, the withdrawals. Yields amid many
 * transactions.
 */
export function* encodeBlockSteps(block: Block): Steps<Uint8Array> {
  const body = yield* encodedBody(block)
  // All of it is copied once more.
  if (block.transactions.length >= ENCODING_STEP_ITEMS) yield
  return joinRlpList([encodeHeader(block.header), ...body])
}

/** The same in one go. */
export const encodeBlock = (block: Block): Uint8Array => runSteps(encodeBlockSteps(block))

/** The bytes of `encodeBlock` in pieces, for what has a block in it. Yields amid many transactions. */
export function* encodedBlockPiecesSteps(block: Block): Steps<readonly Uint8Array[]> {
  return rlpListPieces([encodeHeader(block.header), ...(yield* encodedBody(block))])
}

/** The same in one go. */
export const encodedBlockPieces = (block: Block): readonly Uint8Array[] =>
  runSteps(encodedBlockPiecesSteps(block))

/** How many bytes `encodeBlock` gives. */
export const encodedBlockLength = (block: Block): number => {
  let length = encodeHeader(block.header).length + encodedLength(transactionsLength(block.transactions))
  for (const list of encodedRest(block)) length += list.length
  return encodedLength(length)
}

/** `[transactions, ommers]`, from Shanghai on with a third list, the withdrawals. */
export const encodeBody = (body: BlockBody): Uint8Array => joinRlpList(runSteps(encodedBody(body)))

/** More than the fields of a header, an ommer or a withdrawal, and than the lists of a block. */
const FIELDS_MAX = 32

/** Transactions of one step of decoding: less than a millisecond, but for very large ones. */
const STEP_ITEMS = 32

/** One that has too many fields is refused before they are taken apart: bytes are many, objects for each would be more. */
const decodeFields = (raw: RawItem, what: string): RlpItem => {
  if (countItems(raw, FIELDS_MAX) > FIELDS_MAX)
    throw new RlpError(`${what} has more than ${FIELDS_MAX} items`)
  return decodeRlp(raw)
}

/** Decodes the items of a list one after the other, so that the first bad one ends it, however long the list is. */
function* decodeEach<T>(raw: RawItem | undefined, what: string, decode: (item: RawItem) => T): Steps<T[]> {
  const decoded: T[] = []
  for (const item of iterateRawItems(raw, what)) {
    decoded.push(decode(item))
    if (decoded.length % STEP_ITEMS === 0) yield
  }
  return decoded
}

const decodeTransactions = (raw: RawItem | undefined): Steps<Transaction[]> => {
  let index = 0
  return decodeEach(raw, 'transactions', item =>
    decoding('INVALID_TRANSACTION', `transaction ${index++}`, () => decodeTransactionItem(item)),
  )
}

function* decodeBodyItems(items: readonly RawItem[]): Steps<BlockBody> {
  const [transactions, ommers, withdrawals] = items
  if (items.length < 2 || items.length > 3) throw new RlpError(`a body of ${items.length} lists is not known`)
  return {
    transactions: yield* decodeTransactions(transactions),
    ommers: yield* decodeEach(ommers, 'ommers', item => decodeHeaderItem(decodeFields(item, 'an ommer'))),
    withdrawals:
      withdrawals === undefined
        ? undefined
        : yield* decodeEach(withdrawals, 'withdrawals', item =>
            decodeWithdrawalItem(decodeFields(item, 'a withdrawal')),
          ),
  }
}

const blockParts = (bytes: Uint8Array): [header: RawItem, ...body: RawItem[]] =>
  rawItems(bytes, 'it', 1, FIELDS_MAX) as [RawItem, ...RawItem[]]

const headerOf = (header: RawItem): Header => decodeHeaderItem(decodeFields(header, 'header'))

/** The header alone of a block in RLP; its body may be anything. @throws DecodeError */
export const decodeBlockHeader = (bytes: Uint8Array): Header =>
  decoding('INVALID_BLOCK', 'block', () => headerOf(blockParts(bytes)[0]))

/** `decodeBlock`, with a pause after some items each: for who must let other work go on. @throws DecodeError */
export const decodeBlockSteps = (bytes: Uint8Array): Steps<Block> =>
  decodingSteps('INVALID_BLOCK', 'block', decodeSteps(bytes))

function* decodeSteps(bytes: Uint8Array): Steps<Block> {
  const [header, ...body] = blockParts(bytes)
  return { header: headerOf(header), ...(yield* decodeBodyItems(body)) }
}

/**
 * A block from its RLP. Header and ommers own their bytes; transactions and withdrawals are views of `bytes`, which must
 * not change afterwards: whoever keeps one of them much longer than the block copies it.
 * @throws DecodeError
 */
export const decodeBlock = (bytes: Uint8Array): Block => runSteps(decodeBlockSteps(bytes))

/** A body from its RLP; views of `bytes` as in `decodeBlock`. @throws DecodeError */
export const decodeBody = (bytes: Uint8Array): BlockBody =>
  decoding('INVALID_BLOCK', 'body', () => runSteps(decodeBodyItems(rawItems(bytes, 'it', 0, FIELDS_MAX))))
