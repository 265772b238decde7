import { equalBytes, type Hash } from '../../../core/bytes/bytes.ts'
import { EMPTY_LIST_HASH, EMPTY_TRIE_ROOT } from '../../../core/crypto/constants.ts'
import { EMPTY_LIST, joinRlpList } from '../../../core/rlp/list.ts'
import { iterateRawItems, type RawItem, rawItems, rawString } from '../../../core/rlp/rawItem.ts'
import { encodeRlp, rlpBytes, rlpScalar } from '../../../core/rlp/rlp.ts'

/** A block that was announced by its hash and number. */
export type BlockAnnouncement = { readonly hash: Hash; readonly number: bigint }

/** What the network needs of a header; views of its bytes. */
export type HeaderFields = {
  readonly parentHash: Hash
  readonly number: bigint
  readonly ommersHash: Hash
  readonly transactionsRoot: Hash
  readonly withdrawalsRoot: Hash | undefined
}

const HEADER_ITEMS_MIN = 15
const HEADER_ITEMS_MAX = 32
const BODY_LISTS_MIN = 2
const BODY_LISTS_MAX = 3
/** Announcements of one message: clients announce one block at a time. */
const ANNOUNCEMENTS_MAX = 256

/** @throws RlpError */
export const readHeaderFields = (header: RawItem): HeaderFields => {
  const items = rawItems(header, 'a header', HEADER_ITEMS_MIN, HEADER_ITEMS_MAX)
  const hash = (index: number, what: string): Hash => rlpBytes(rawString(items[index], what), what, 32)
  return {
    parentHash: hash(0, 'the parent hash'),
    ommersHash: hash(1, 'the hash of the ommers'),
    transactionsRoot: hash(4, 'the root of the transactions'),
    number: rlpScalar(rawString(items[8], 'the number'), 'the number of a header', 8),
    withdrawalsRoot: items[16] === undefined ? undefined : hash(16, 'the root of the withdrawals'),
  }
}

/**
 * The body of a block without transactions, which need not be asked for; undefined when the header says that there are some.
 */
export const emptyBodyOf = ({
  ommersHash,
  transactionsRoot,
  withdrawalsRoot,
}: HeaderFields): RawItem | undefined => {
  const isEmpty =
    equalBytes(transactionsRoot, EMPTY_TRIE_ROOT) &&
    equalBytes(ommersHash, EMPTY_LIST_HASH) &&
    (withdrawalsRoot === undefined || equalBytes(withdrawalsRoot, EMPTY_TRIE_ROOT))
  if (!isEmpty) return undefined
  const lists = withdrawalsRoot === undefined ? 2 : 3
  return joinRlpList(Array.from({ length: lists }, () => EMPTY_LIST))
}

/** The block RLP of a header and `[transactions, ommers, withdrawals?]`. @throws RlpError */
export const joinBlock = (header: RawItem, body: RawItem): Uint8Array =>
  joinRlpList([header, ...rawItems(body, 'a body', BODY_LISTS_MIN, BODY_LISTS_MAX)])

/** The header and the body of a block RLP; views. @throws RlpError */
export const splitBlock = (block: Uint8Array): { readonly header: RawItem; readonly body: Uint8Array } => {
  const [header, ...lists] = rawItems(block, 'a block', 1 + BODY_LISTS_MIN, 1 + BODY_LISTS_MAX) as [
    RawItem,
    ...RawItem[],
  ]
  return { header, body: joinRlpList(lists) }
}

/** `[block, total difficulty]` */
export const encodeNewBlock = (block: Uint8Array, totalDifficulty: bigint): Uint8Array =>
  joinRlpList([block, encodeRlp(totalDifficulty)])

/** The block RLP, a view; its body is not decoded. @throws RlpError */
export const decodeNewBlock = (
  payload: Uint8Array,
): { readonly block: Uint8Array; readonly totalDifficulty: bigint } => {
  const [block, totalDifficulty] = rawItems(payload, 'a new block', 2) as [RawItem, RawItem]
  const difficulty = rawString(totalDifficulty, 'the total difficulty')
  return { block, totalDifficulty: rlpScalar(difficulty, 'the total difficulty', 32) }
}

export const encodeAnnouncements = (announcements: readonly BlockAnnouncement[]): Uint8Array =>
  encodeRlp(announcements.map(({ hash, number }) => [hash, number]))

/** @throws RlpError */
export const decodeAnnouncements = (payload: Uint8Array): readonly BlockAnnouncement[] => {
  const announcements: BlockAnnouncement[] = []
  for (const item of iterateRawItems(payload, 'announcements of blocks')) {
    if (announcements.length === ANNOUNCEMENTS_MAX) break
    const [hash, number] = rawItems(item, 'an announcement of a block', 2)
    announcements.push({
      hash: rlpBytes(rawString(hash, 'the hash of a block'), 'the hash of a block', 32).slice(),
      number: rlpScalar(rawString(number, 'the number of a block'), 'the number of a block', 8),
    })
  }
  return announcements
}
