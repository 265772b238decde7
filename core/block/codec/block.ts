import { decodeItems, iterateRawItems, type RawItem, rawItems } from '../../rlp/rawItem.ts'
import { encodeRlp, RlpError, type RlpItem } from '../../rlp/rlp.ts'
import { runSteps, type Steps } from '../../steps.ts'
import type { Block } from '../block.ts'
import type { Header } from '../header.ts'
import type { KnownTransaction, Transaction } from '../transaction.ts'
import { withDecodeErrors, withDecodeErrorsSteps } from './error.ts'
import { decodeHeaderItem, encodeHeader, headerItem } from './header.ts'
import { joinRlpList, rlpListPieces } from '../../rlp/list.ts'
import { encodedLength, LIST_HEAD, STRING_HEAD, writeHead } from '../../rlp/write.ts'
import { decodeTransactionItem } from './transaction.ts'
import { decodeWithdrawalItem, withdrawalItem } from './withdrawal.ts'

/** A block without its header. */
type BlockBody = Omit<Block, 'header'>

/** Transactions encoded between two yields: one to two milliseconds. */
const ENCODING_STEP_ITEMS = 512

const transactionsLength = (transactions: readonly Transaction[]): number => {
  let length = 0
  for (const { type, encoded } of transactions)
    length += type === 0 ? encoded.length : encodedLength(encoded.length)
  return length
}

/**
 * In the list, a legacy transaction is its own RLP, a typed one a byte string (EIP-2718). Copies each transaction once,
 * without an allocation for each: a block has thousands, and is encoded for its proposal, restart record and segment.
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

/** The lists after the transactions. */
const encodedRest = ({ ommers, withdrawals }: BlockBody): Uint8Array[] => {
  const lists = [encodeRlp(ommers.map(headerItem))]
  if (withdrawals !== undefined) lists.push(encodeRlp(withdrawals.map(withdrawalItem)))
  return lists
}

function* encodedBody(body: BlockBody): Steps<Uint8Array[]> {
  return [yield* encodedTransactions(body.transactions), ...encodedRest(body)]
}

/**
 * Block RLP: `[header, transactions, ommers]`, from Shanghai on with a fourth list, the withdrawals. Yields between many
 * transactions.
 */
export function* encodeBlockSteps(block: Block): Steps<Uint8Array> {
  const body = yield* encodedBody(block)
  // Joining the pieces copies them once more.
  if (block.transactions.length >= ENCODING_STEP_ITEMS) yield
  return joinRlpList([encodeHeader(block.header), ...body])
}

/** As `encodeBlockSteps`, without yielding. */
export const encodeBlock = (block: Block): Uint8Array => runSteps(encodeBlockSteps(block))

/** The bytes of `encodeBlock` in pieces, to embed in a larger encoding. Yields between many transactions. */
export function* encodedBlockPiecesSteps(block: Block): Steps<readonly Uint8Array[]> {
  return rlpListPieces([encodeHeader(block.header), ...(yield* encodedBody(block))])
}

/** As `encodedBlockPiecesSteps`, without yielding. */
export const encodedBlockPieces = (block: Block): readonly Uint8Array[] =>
  runSteps(encodedBlockPiecesSteps(block))

/** Length of the result of `encodeBlock`. */
export const encodedBlockLength = (block: Block): number => {
  let length = encodeHeader(block.header).length + encodedLength(transactionsLength(block.transactions))
  for (const list of encodedRest(block)) length += list.length
  return encodedLength(length)
}

/** `[transactions, ommers]`, from Shanghai on with a third list, the withdrawals. */
export const encodeBody = (body: BlockBody): Uint8Array => joinRlpList(runSteps(encodedBody(body)))

/** Most items of a block, a header, an ommer or a withdrawal; valid ones have fewer. */
const FIELDS_MAX = 32

/** Transactions decoded between two yields: less than a millisecond unless they are very large. */
const DECODING_STEP_ITEMS = 32

/** Decodes an item. First refuses one with too many fields, because each field would become an object. */
const decodeFields = (raw: RawItem, what: string): RlpItem => decodeItems(raw, what, FIELDS_MAX)

/** Decodes the items of a list in order and stops at the first invalid one, however long the list is. */
function* decodeEach<T>(raw: RawItem | undefined, what: string, decode: (item: RawItem) => T): Steps<T[]> {
  const decoded: T[] = []
  for (const item of iterateRawItems(raw, what)) {
    decoded.push(decode(item))
    if (decoded.length % DECODING_STEP_ITEMS === 0) yield
  }
  return decoded
}

const decodeTransactions = (
  raw: RawItem | undefined,
  known: KnownTransaction | undefined,
): Steps<Transaction[]> => {
  let index = 0
  return decodeEach(raw, 'transactions', item =>
    withDecodeErrors('INVALID_TRANSACTION', `transaction ${index++}`, () =>
      decodeTransactionItem(item, known),
    ),
  )
}

function* decodeBodyItems(items: readonly RawItem[], known: KnownTransaction | undefined): Steps<BlockBody> {
  const [transactions, ommers, withdrawals] = items
  if (items.length < 2 || items.length > 3) throw new RlpError(`a body has 2 or 3 lists, not ${items.length}`)
  return {
    transactions: yield* decodeTransactions(transactions, known),
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

/** Decodes only the header of a block; the body is not checked. @throws DecodeError */
export const decodeBlockHeader = (bytes: Uint8Array): Header =>
  withDecodeErrors('INVALID_BLOCK', 'block', () => headerOf(blockParts(bytes)[0]))

/**
 * As `decodeBlock`, in steps, so that other work can run in between.
 * @param known transactions that need not be decoded again; those of the block are then not views of `bytes`
 * @throws DecodeError
 */
export const decodeBlockSteps = (bytes: Uint8Array, known?: KnownTransaction): Steps<Block> =>
  withDecodeErrorsSteps('INVALID_BLOCK', 'block', decodeSteps(bytes, known))

function* decodeSteps(bytes: Uint8Array, known: KnownTransaction | undefined): Steps<Block> {
  const [header, ...body] = blockParts(bytes)
  return { header: headerOf(header), ...(yield* decodeBodyItems(body, known)) }
}

/**
 * Decodes a block. Header and ommers own their bytes; transactions and withdrawals are views of `bytes`, which must not
 * change afterwards; copy one of them to keep it much longer than the block.
 * @throws DecodeError
 */
export const decodeBlock = (bytes: Uint8Array): Block => runSteps(decodeBlockSteps(bytes))
