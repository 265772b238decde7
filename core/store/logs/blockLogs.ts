import type { Hash } from '../../bytes/bytes.ts'
import { decodeBlockHeader } from '../../block/codec/block.ts'
import type { Receipt } from '../../block/receipt.ts'
import { keccak256 } from '../../crypto/crypto.ts'
import { iterateRawItems, type RawItem, rawItems, rawString } from '../../rlp/rawItem.ts'
import { createReader } from '../codec/reader.ts'
import { readReceiptLogsSteps } from '../codec/receipts.ts'
import type { Steps } from '../../steps.ts'
import type { Segment } from '../segments/segment.ts'
import type { BlockRecord } from '../store.ts'

/** The logs of a block, and the block fields that JSON-RPC returns with each log. */
export type BlockLogs = {
  readonly number: bigint
  readonly hash: Hash
  /** Seconds since 1970. */
  readonly timestamp: bigint
  /** One for each transaction, in order. */
  readonly receipts: readonly Pick<Receipt, 'logs'>[]
  readonly transactionHash: (index: number) => Hash
}

export const logsOfRecord = ({ block, hash, receipts }: BlockRecord): BlockLogs => ({
  number: block.header.number,
  hash,
  timestamp: block.header.timestamp,
  receipts,
  transactionHash: index => (block.transactions[index] as { readonly hash: Hash }).hash,
})

/** Bounds on the number of lists in an encoded block; no fork has more. */
const BLOCK_LISTS = [1, 8] as const

const FIRST_LIST = 0xc0

/** A legacy transaction is hashed as encoded in its block, a typed one without the enclosing string (EIP-2718). */
const transactionHash = (item: RawItem): Hash =>
  keccak256((item[0] as number) >= FIRST_LIST ? item : rawString(item, 'a transaction'))

/**
 * Decodes only the parts that a search needs: transactions are not decoded, and are hashed when one is requested. Byte
 * fields are views of the segment. Yields between many logs.
 */
export function* logsOfSegmentSteps(segment: Segment): Steps<BlockLogs> {
  const { number, timestamp } = decodeBlockHeader(segment.block)
  const receipts = yield* readReceiptLogsSteps(createReader(segment.receipts))
  let items: readonly RawItem[] | undefined
  const hashes: Hash[] = []
  return {
    number,
    hash: segment.hash,
    timestamp,
    receipts,
    transactionHash: index => {
      items ??= [...iterateRawItems(rawItems(segment.block, 'a block', ...BLOCK_LISTS)[1], 'transactions')]
      return (hashes[index] ??= transactionHash(items[index] as RawItem))
    },
  }
}
