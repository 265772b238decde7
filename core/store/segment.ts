import type { Address, Hash } from '../bytes/bytes.ts'
import { decodeBlockSteps, encodeBlockSteps } from '../block/codec/block.ts'
import type { StateChanges } from '../state/account.ts'
import { runSteps, type Steps } from '../steps.ts'
import { readChanges, writeChanges } from './codec/changes.ts'
import { createReader, MalformedRecord } from './codec/reader.ts'
import { readReceiptsSteps, writeReceipts } from './codec/receipts.ts'
import { createWriter } from './codec/writer.ts'
import type { BlockCommit, BlockRecord } from './store.ts'

/** First byte of every segment; a store of another version is refused. */
const SEGMENT_VERSION = 1

/** A segment (the log segment of one block) split into its undecoded sections; all are views of the segment. */
export type Segment = {
  readonly hash: Hash
  readonly totalDifficulty: bigint
  /** RLP of the block. */
  readonly block: Uint8Array
  readonly senders: Uint8Array
  readonly receipts: Uint8Array
  readonly changes: Uint8Array
}

/**
 * Encodes a block with everything derived from it as the one value that commits it. Trie records are omitted: they follow
 * from the changes. Yields between many items and between copies of the whole.
 */
export function* encodeSegmentSteps(commit: BlockCommit): Steps<Uint8Array> {
  const block = yield* encodeBlockSteps(commit.block)
  yield
  const section = createWriter(block.length)
  const writer = createWriter(3 * block.length)
  writer.byte(SEGMENT_VERSION)
  writer.raw(commit.hash)
  writer.integer(commit.totalDifficulty)
  writer.blob(block)
  writer.varint(20 * commit.senders.length)
  for (const sender of commit.senders) writer.raw(sender)
  yield
  yield* writeReceipts(section, commit.receipts)
  writer.blob(section.finish())
  section.reset()
  yield* writeChanges(section, commit.changes)
  writer.blob(section.finish())
  yield
  return writer.finish()
}

/** As `encodeSegmentSteps`, without yielding. */
export const encodeSegment = (commit: BlockCommit): Uint8Array => runSteps(encodeSegmentSteps(commit))

/** @throws MalformedRecord */
export const openSegment = (bytes: Uint8Array): Segment => {
  const reader = createReader(bytes)
  const version = reader.byte()
  if (version !== SEGMENT_VERSION)
    throw new MalformedRecord(
      `segments of version ${version} are not known here (this is version ${SEGMENT_VERSION})`,
    )
  return {
    hash: reader.raw(32),
    totalDifficulty: reader.integer(),
    block: reader.blob(),
    senders: reader.blob(),
    receipts: reader.blob(),
    changes: reader.blob(),
  }
}

export const segmentChanges = (segment: Segment): StateChanges => readChanges(createReader(segment.changes))

/**
 * Decodes the block record. Byte fields are views of the segment, except the header's. Yields between many transactions.
 */
export function* segmentRecordSteps(segment: Segment): Steps<BlockRecord> {
  const senders: Address[] = []
  for (let at = 0; at < segment.senders.length; at += 20) senders.push(segment.senders.subarray(at, at + 20))
  return {
    block: yield* decodeBlockSteps(segment.block),
    hash: segment.hash.slice(),
    totalDifficulty: segment.totalDifficulty,
    senders,
    receipts: yield* readReceiptsSteps(createReader(segment.receipts)),
  }
}

/** As `segmentRecordSteps`, without yielding. */
export const segmentRecord = (segment: Segment): BlockRecord => runSteps(segmentRecordSteps(segment))
