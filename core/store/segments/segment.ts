import { type Address, concatBytes, type Hash } from '../../bytes/bytes.ts'
import { decodeBlockSteps, encodeBlockSteps } from '../../block/codec/block.ts'
import type { StateChanges } from '../../state/account.ts'
import { runSteps, type Steps } from '../../steps.ts'
import { readChangesSteps, writeChanges } from '../codec/changes.ts'
import { createReader, MalformedRecord, otherVersion, type Reader } from '../codec/reader.ts'
import { readReceiptsSteps, writeReceipts } from '../codec/receipts.ts'
import { createWriter, type Writer } from '../codec/writer.ts'
import { SEGMENT_PART_BYTES } from '../limits.ts'
import type { BlockCommit, BlockRecord } from '../store.ts'

/** First byte of every segment. A store of another version is refused. */
export const SEGMENT_VERSION = 1

const ADDRESS_BYTES = 20

/** First byte of a list of parts, which replaces a large segment (segmentParts.ts). */
export const PART_LIST_VERSION = 2

/** A segment (the encoded record of one block) split into its undecoded sections, which are views of the segment. */
export type Segment = {
  readonly hash: Hash
  readonly totalDifficulty: bigint
  /** RLP of the block. */
  readonly block: Uint8Array
  readonly senders: Uint8Array
  readonly receipts: Uint8Array
  readonly changes: Uint8Array
}

/** Collects consecutive bytes as parts of about `partBytes`. */
type PartWriter = { readonly writer: Writer; readonly parts: Uint8Array[]; readonly partBytes: number }

const cutPart = ({ writer, parts }: PartWriter): void => {
  if (writer.length === 0) return
  parts.push(writer.finish())
  writer.reset()
}

/** Takes parts out of the writer while the steps fill it. Returns the bytes written. */
function* inParts(section: PartWriter, steps: Steps<void>): Steps<number> {
  for (let step = steps.next(); step.done !== true; step = steps.next()) {
    if (section.writer.length >= section.partBytes) cutPart(section)
    yield
  }
  const taken = section.parts.reduce((sum, part) => sum + part.length, 0)
  return taken + section.writer.length
}

/** Appends a section after its length; its parts are not copied again. */
const appendSection = (segment: PartWriter, section: PartWriter, length: number): void => {
  segment.writer.varint(length)
  if (section.parts.length > 0) {
    cutPart(segment)
    segment.parts.push(...section.parts.splice(0))
  }
  segment.writer.raw(section.writer.finish())
  section.writer.reset()
}

/** As `appendSection`, for bytes that are in memory. */
const appendBytes = (segment: PartWriter, bytes: Uint8Array): void => {
  const { writer, parts, partBytes } = segment
  writer.varint(bytes.length)
  if (bytes.length < partBytes) return writer.raw(bytes)
  cutPart(segment)
  for (let at = 0; at < bytes.length; at += partBytes) parts.push(bytes.subarray(at, at + partBytes))
}

/**
 * Encodes a block with all data derived from it as the segment that commits it, in consecutive parts; a short segment has
 * one. Trie records are omitted, because the changes determine them. Yields between many items.
 * @param partBytes approximate length of a part; a part is at most twice as long
 */
export function* encodeSegmentSteps(
  commit: BlockCommit,
  partBytes = SEGMENT_PART_BYTES,
): Steps<readonly Uint8Array[]> {
  const block = yield* encodeBlockSteps(commit.block)
  yield
  const sizeHint = Math.min(block.length, partBytes)
  const section: PartWriter = { writer: createWriter(sizeHint), parts: [], partBytes }
  const segment: PartWriter = { writer: createWriter(3 * sizeHint), parts: [], partBytes }
  const { writer } = segment
  writer.byte(SEGMENT_VERSION)
  writer.raw(commit.hash)
  writer.integer(commit.totalDifficulty)
  appendBytes(segment, block)
  writer.varint(ADDRESS_BYTES * commit.senders.length)
  for (const sender of commit.senders) writer.raw(sender)
  yield
  const { receipts, changes } = commit
  for (const steps of [
    writeReceipts(section.writer, receipts, partBytes),
    writeChanges(section.writer, changes, partBytes),
  ]) {
    appendSection(segment, section, yield* inParts(section, steps))
    yield
  }
  cutPart(segment)
  return segment.parts
}

/** The encoded segment as a whole. */
export const encodeSegment = (commit: BlockCommit): Uint8Array =>
  concatBytes(...runSteps(encodeSegmentSteps(commit)))

/** @throws MalformedRecord */
export const openSegment = (bytes: Uint8Array): Segment => {
  const reader = createReader(bytes)
  const version = reader.byte()
  if (version !== SEGMENT_VERSION) throw otherVersion('the segment has', version, SEGMENT_VERSION)
  const segment = {
    hash: reader.raw(32),
    totalDifficulty: reader.integer(),
    block: reader.blob(),
    senders: reader.blob(),
    receipts: reader.blob(),
    changes: reader.blob(),
  }
  reader.end()
  if (segment.senders.length % ADDRESS_BYTES !== 0) throw new MalformedRecord('a sender is incomplete')
  return segment
}

/** Reads a section to its end. */
function* sectionSteps<T>(section: Uint8Array, read: (reader: Reader) => Steps<T>): Steps<T> {
  const reader = createReader(section)
  const value = yield* read(reader)
  reader.end()
  return value
}

/** Yields between many changes. */
export const segmentChangesSteps = (segment: Segment): Steps<StateChanges> =>
  sectionSteps(segment.changes, readChangesSteps)

/** As `segmentChangesSteps`, without yielding. */
export const segmentChanges = (segment: Segment): StateChanges => runSteps(segmentChangesSteps(segment))

/**
 * Decodes the block record. Byte fields except those of the header are views of the segment. Yields between many
 * transactions.
 */
export function* segmentRecordSteps(segment: Segment): Steps<BlockRecord> {
  const senders: Address[] = []
  for (let at = 0; at < segment.senders.length; at += ADDRESS_BYTES)
    senders.push(segment.senders.subarray(at, at + ADDRESS_BYTES))
  return {
    block: yield* decodeBlockSteps(segment.block),
    hash: segment.hash.slice(),
    totalDifficulty: segment.totalDifficulty,
    senders,
    receipts: yield* sectionSteps(segment.receipts, readReceiptsSteps),
  }
}

/** As `segmentRecordSteps`, without yielding. */
export const segmentRecord = (segment: Segment): BlockRecord => runSteps(segmentRecordSteps(segment))
