import { StoreCorruption } from '../checksum.ts'
import { createReader } from '../codec/reader.ts'
import { createWriter } from '../codec/writer.ts'
import { logGroupKey, logGroupPartitionKey, logPartitionKey, logSectionKey } from '../keys.ts'
import {
  LOG_GROUP_SECTIONS,
  LOG_PARTITION_POSTINGS,
  LOG_PARTITIONS_AT_ONCE,
  LOG_SECTION_BLOCKS,
} from '../limits.ts'
import { lowerBound } from './fingerprint.ts'
import type { LogPattern } from './pattern.ts'

/*
 * A table of postings: a section indexes the logs of LOG_SECTION_BLOCKS consecutive blocks, a group those of
 * LOG_GROUP_SECTIONS consecutive sections. Each posting is a fingerprint and the offset of a member, which is a block of the
 * section or a section of the group. Postings are sorted by fingerprint; many are partitioned by its leading bits, so that a
 * search reads one partition per value. A table is deterministic, so it may be written twice.
 */

/** The store keys of a table, its number of members, and its first block. */
export type PostingTable = {
  readonly head: string
  readonly partition: (index: number) => string
  readonly members: number
  readonly firstBlock: number
}

export const sectionTable = (section: number): PostingTable => ({
  head: logSectionKey(section),
  partition: index => logPartitionKey(section, index),
  members: LOG_SECTION_BLOCKS,
  firstBlock: section * LOG_SECTION_BLOCKS,
})

export const groupTable = (group: number): PostingTable => ({
  head: logGroupKey(group),
  partition: index => logGroupPartitionKey(group, index),
  members: LOG_GROUP_SECTIONS,
  firstBlock: group * LOG_GROUP_SECTIONS * LOG_SECTION_BLOCKS,
})

/** The sections, and after them the groups, whose last block is one of `from` to `end`, that one excluded. */
export function* endedTables(from: number, end: number): Generator<PostingTable> {
  for (const [tableAt, blocks] of [
    [sectionTable, LOG_SECTION_BLOCKS],
    [groupTable, LOG_SECTION_BLOCKS * LOG_GROUP_SECTIONS],
  ] as const)
    for (let at = Math.floor(from / blocks); (at + 1) * blocks <= end; at++) yield tableAt(at)
}

/** Offsets of members fit a byte. */
const OFFSETS = 256

/** Bytes of a fingerprint and its member. */
const POSTING_BYTES = 5
const FINGERPRINT_BYTES = 4

/** The distinct fingerprints of each member, ascending; undefined for an unreadable one, which every search returns. */
export type MemberFingerprints = readonly (Uint32Array | undefined)[]

/** One value of a table, to be stored under its key. */
type TableRecord = { readonly key: string; readonly value: Uint8Array }

/** The number of leading bits whose partitions have at most about LOG_PARTITION_POSTINGS. */
const partitionBitsFor = (postings: number): number =>
  Math.max(0, Math.ceil(Math.log2(postings / LOG_PARTITION_POSTINGS)))

/** Encodes all fingerprints, then all offsets, so that the search for a fingerprint touches few bytes. */
const encodePostings = (postings: Float64Array): Uint8Array => {
  const count = postings.length
  const bytes = new Uint8Array(count * POSTING_BYTES)
  const view = new DataView(bytes.buffer)
  for (let i = 0; i < count; i++) {
    const posting = postings[i] as number
    const offset = posting % OFFSETS
    view.setUint32(i * FINGERPRINT_BYTES, (posting - offset) / OFFSETS, true)
    bytes[count * FINGERPRINT_BYTES + i] = offset
  }
  return bytes
}

/** The stored values of a table: its partitions, each some milliseconds of work, then its head. */
export function* tableRecords(table: PostingTable, members: MemberFingerprints): Generator<TableRecord> {
  const postings = members.reduce((sum, member) => sum + (member?.length ?? 0), 0)
  const bits = partitionBitsFor(postings)
  const head = createWriter()
  head.byte(bits)
  const unread = members.flatMap((member, offset) => (member === undefined ? [offset] : []))
  head.varint(unread.length)
  for (const offset of unread) head.byte(offset)

  const next = new Uint32Array(members.length)
  for (let partition = 0; partition < 2 ** bits; partition++) {
    const end = (partition + 1) * 2 ** (32 - bits)
    const found: number[] = []
    members.forEach((member, offset) => {
      if (member === undefined) return
      let at = next[offset] as number
      for (; at < member.length && (member[at] as number) < end; at++)
        found.push((member[at] as number) * OFFSETS + offset)
      next[offset] = at
    })
    const value = encodePostings(Float64Array.from(found).sort())
    if (bits === 0) head.raw(value)
    else yield { key: table.partition(partition), value }
  }
  yield { key: table.head, value: head.finish() }
}

/** The keys of the partitions of a table that has this head. */
export const partitionKeys = (table: PostingTable, head: Uint8Array): readonly string[] => {
  const bits = createReader(head).byte()
  return bits === 0 ? [] : Array.from({ length: 2 ** bits }, (_, partition) => table.partition(partition))
}

/** Marks the members of the partition that have this fingerprint and matched in every earlier round. */
const markMembers = (partition: Uint8Array, wanted: number, found: Uint8Array, round: number): void => {
  const count = partition.length / POSTING_BYTES
  const view = new DataView(partition.buffer, partition.byteOffset)
  const at = (index: number): number => view.getUint32(index * FINGERPRINT_BYTES, true)
  for (let i = lowerBound(count, at, wanted); i < count && at(i) === wanted; i++) {
    const offset = partition[count * FINGERPRINT_BYTES + i] as number
    if (found[offset] === round) found[offset] = round + 1
  }
}

/** Reads the values of a store. */
export type PostingReader = {
  /** Reads and verifies a stored value. @throws StoreCorruption */
  readonly fetch: (key: string) => Promise<Uint8Array | undefined>
  /** Called between some milliseconds of work. */
  readonly pause: () => Promise<void>
}

/** @throws StoreCorruption also when it is missing */
const readValue = async ({ fetch }: PostingReader, table: PostingTable, key: string): Promise<Uint8Array> => {
  const value = await fetch(key)
  if (value === undefined) throw new StoreCorruption(key, table.firstBlock, 'it is missing')
  return value
}

const readHead = async (reader: PostingReader, table: PostingTable) => {
  const head = createReader(await readValue(reader, table, table.head))
  const bits = head.byte()
  const unread = head.raw(head.varint())
  return { bits, unread, inHead: bits === 0 ? head.rest() : undefined }
}

/**
 * The offsets of the members of a table that may have a matching log, ascending.
 * @throws StoreCorruption
 */
export const searchTable = async (
  reader: PostingReader,
  table: PostingTable,
  pattern: LogPattern,
): Promise<number[]> => {
  const { bits, unread, inHead } = await readHead(reader, table)
  let partitions = 0
  const readPartition = async (index: number): Promise<Uint8Array> => {
    if (++partitions % LOG_PARTITIONS_AT_ONCE === 0) await reader.pause()
    return readValue(reader, table, table.partition(index))
  }

  /** For each member, the number of leading elements of the pattern that it matched. */
  const found = new Uint8Array(table.members)
  for (const [round, { fingerprints }] of pattern.entries()) {
    let partition = inHead
    let loaded = -1
    for (const wanted of fingerprints) {
      if (inHead === undefined) {
        const index = Math.floor(wanted / 2 ** (32 - bits))
        // Fingerprints ascend, so each partition is read once.
        if (index !== loaded) partition = await readPartition(index)
        loaded = index
      }
      markMembers(partition as Uint8Array, wanted, found, round)
    }
    if (!found.includes(round + 1)) break
  }
  for (const offset of unread) found[offset] = pattern.length
  const offsets: number[] = []
  found.forEach((rounds, offset) => {
    if (rounds === pattern.length) offsets.push(offset)
  })
  return offsets
}

/** Adds the distinct fingerprints of a partition, which has them in order. */
const addFingerprints = (partition: Uint8Array, found: number[]): void => {
  const view = new DataView(partition.buffer, partition.byteOffset)
  for (let i = 0; i < partition.length / POSTING_BYTES; i++) {
    const fingerprint = view.getUint32(i * FINGERPRINT_BYTES, true)
    if (fingerprint !== found.at(-1)) found.push(fingerprint)
  }
}

/**
 * The distinct fingerprints of all members of a table, ascending; undefined when some member could not be read.
 * @throws StoreCorruption
 */
export const tableFingerprints = async (
  reader: PostingReader,
  table: PostingTable,
): Promise<Uint32Array | undefined> => {
  const { bits, unread, inHead } = await readHead(reader, table)
  if (unread.length > 0) return undefined
  const found: number[] = []
  if (inHead !== undefined) addFingerprints(inHead, found)
  else
    for (let partition = 0; partition < 2 ** bits; partition++) {
      addFingerprints(await readValue(reader, table, table.partition(partition)), found)
      await reader.pause()
    }
  return Uint32Array.from(found)
}
