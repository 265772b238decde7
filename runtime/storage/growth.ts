import { equalBytes } from '../../core/bytes/bytes.ts'
import { EMPTY_TRIE_ROOT } from '../../core/crypto/constants.ts'
import type { Header } from '../../core/block/header.ts'

/** Blocks at the head that the figures are taken from: a day of blocks of 8 s. */
const SAMPLED_BLOCKS = 10_800

const SECONDS_PER_DAY = 86_400

export type Growth = {
  readonly firstBlock: number
  readonly lastBlock: number
  readonly seconds: number
  readonly emptyBlocks: number
  /** By the block records of the sample and the bytes of all files for each byte of the records. */
  readonly bytesPerDay: number
  readonly emptyBlockBytes: number
  readonly emptyBytesPerDay: number
  /** What removed blocks leave behind; undefined while all blocks are kept. */
  readonly keptBytesPerDay: number | undefined
}

/** Sizes in bytes that the figures are made of. */
export type GrowthSizes = {
  /** The records of a range of blocks. */
  readonly recordsOf: (first: number, last: number) => number
  /** All files for each byte of block records. */
  readonly filesPerRecord: number
  /** Bytes of a block that stay when it is removed: its header and the index of its hash. */
  readonly keptPerBlock: number
}

/** The blocks of a chain. */
export type GrowthBlocks = {
  readonly last: number
  /** The first block that is kept; 0 while all are. */
  readonly historyStart: number
  readonly header: (number: number) => Promise<Header | undefined>
}

/** How fast the files grow, by the last blocks that are kept; undefined for a chain without two of them. */
export const measureGrowth = async (
  { last, historyStart, header: headerOf }: GrowthBlocks,
  { recordsOf, filesPerRecord, keptPerBlock }: GrowthSizes,
): Promise<Growth | undefined> => {
  const first = Math.max(1, historyStart, last - SAMPLED_BLOCKS + 1)
  const head = last <= first ? undefined : await headerOf(last)
  if (head === undefined) return undefined
  let emptyBlocks = 0
  let emptyBytes = 0
  let begin = head.timestamp
  for (let number = first; number <= last; number++) {
    const header = await headerOf(number)
    if (header === undefined) continue
    if (number === first) begin = header.timestamp
    if (!equalBytes(header.transactionsRoot, EMPTY_TRIE_ROOT)) continue
    emptyBlocks++
    emptyBytes += recordsOf(number, number)
  }
  const seconds = Math.max(1, Number(head.timestamp - begin))
  const perDay = (bytes: number): number => Math.round((bytes * SECONDS_PER_DAY) / seconds)
  return {
    firstBlock: first,
    lastBlock: last,
    seconds,
    emptyBlocks,
    bytesPerDay: perDay(recordsOf(first, last) * filesPerRecord),
    emptyBlockBytes: emptyBlocks === 0 ? 0 : Math.round((emptyBytes * filesPerRecord) / emptyBlocks),
    emptyBytesPerDay: perDay(emptyBytes * filesPerRecord),
    keptBytesPerDay: historyStart === 0 ? undefined : perDay((last - first + 1) * keptPerBlock),
  }
}
