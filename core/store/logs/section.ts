import { StoreCorruption } from '../checksum.ts'
import { createReader } from '../codec/reader.ts'
import { createWriter } from '../codec/writer.ts'
import { logPartitionKey, logSectionKey } from '../keys.ts'
import { LOG_PARTITION_POSTINGS, LOG_SECTION_BLOCKS } from '../limits.ts'
import { lowerBound } from './fingerprint.ts'
import type { LogPattern } from './pattern.ts'

/*
 * A section indexes the logs of LOG_SECTION_BLOCKS consecutive blocks. Each posting is a fingerprint and the offset of a
 * block in the section. Postings are sorted by fingerprint; many are partitioned by its leading bits, so that a search
 * reads one partition per value. A section is deterministic, so it may be written twice.
 */

/** Bytes of a fingerprint and its block. */
const POSTING_BYTES = 5
const FINGERPRINT_BYTES = 4

/** The fingerprints of each block of a section; undefined for an unreadable block, which every search returns. */
type SectionBlocks = readonly (Uint32Array | undefined)[]

/** One value of a section, to be stored under its key. */
type SectionRecord = { readonly key: string; readonly value: Uint8Array }

/** The number of leading bits whose partitions have at most about LOG_PARTITION_POSTINGS. */
const partitionBitsFor = (postings: number): number =>
  Math.max(0, Math.ceil(Math.log2(postings / LOG_PARTITION_POSTINGS)))

/** Encodes all fingerprints, then all block offsets, so that the search for a fingerprint touches few bytes. */
const encodePostings = (postings: Float64Array): Uint8Array => {
  const count = postings.length
  const bytes = new Uint8Array(count * POSTING_BYTES)
  const view = new DataView(bytes.buffer)
  for (let i = 0; i < count; i++) {
    const posting = postings[i] as number
    const offset = posting % LOG_SECTION_BLOCKS
    view.setUint32(i * FINGERPRINT_BYTES, (posting - offset) / LOG_SECTION_BLOCKS, true)
    bytes[count * FINGERPRINT_BYTES + i] = offset
  }
  return bytes
}

/** The stored values of a section: its partitions, each some milliseconds of work, then its head. */
export function* sectionRecords(section: number, blocks: SectionBlocks): Generator<SectionRecord> {
  const postings = blocks.reduce((sum, block) => sum + (block?.length ?? 0), 0)
  const bits = partitionBitsFor(postings)
  const head = createWriter()
  head.byte(bits)
  const unread = blocks.flatMap((block, offset) => (block === undefined ? [offset] : []))
  head.varint(unread.length)
  for (const offset of unread) head.byte(offset)

  const next = new Uint32Array(blocks.length)
  for (let partition = 0; partition < 2 ** bits; partition++) {
    const end = (partition + 1) * 2 ** (32 - bits)
    const found: number[] = []
    blocks.forEach((block, offset) => {
      if (block === undefined) return
      let at = next[offset] as number
      for (; at < block.length && (block[at] as number) < end; at++)
        found.push((block[at] as number) * LOG_SECTION_BLOCKS + offset)
      next[offset] = at
    })
    const value = encodePostings(Float64Array.from(found).sort())
    if (bits === 0) head.raw(value)
    else yield { key: logPartitionKey(section, partition), value }
  }
  yield { key: logSectionKey(section), value: head.finish() }
}

/** The keys of the partitions of a section that has this head. */
export const partitionKeys = (section: number, head: Uint8Array): readonly string[] => {
  const bits = createReader(head).byte()
  return bits === 0
    ? []
    : Array.from({ length: 2 ** bits }, (_, partition) => logPartitionKey(section, partition))
}

/** Marks the blocks of the partition that have this fingerprint and matched in every earlier round. */
const markBlocks = (partition: Uint8Array, wanted: number, found: Uint8Array, round: number): void => {
  const count = partition.length / POSTING_BYTES
  const view = new DataView(partition.buffer, partition.byteOffset)
  const at = (index: number): number => view.getUint32(index * FINGERPRINT_BYTES, true)
  for (let i = lowerBound(count, at, wanted); i < count && at(i) === wanted; i++) {
    const offset = partition[count * FINGERPRINT_BYTES + i] as number
    if (found[offset] === round) found[offset] = round + 1
  }
}

/**
 * The offsets in a section of the blocks that may have a matching log, ascending.
 * @param fetch reads and verifies a stored value
 * @throws StoreCorruption
 */
export const searchSection = async (
  fetch: (key: string) => Promise<Uint8Array | undefined>,
  section: number,
  pattern: LogPattern,
): Promise<number[]> => {
  const read = async (key: string): Promise<Uint8Array> => {
    const value = await fetch(key)
    if (value === undefined) throw new StoreCorruption(key, section * LOG_SECTION_BLOCKS, 'it is missing')
    return value
  }
  const head = createReader(await read(logSectionKey(section)))
  const bits = head.byte()
  const unread = head.raw(head.varint())
  const inHead = bits === 0 ? head.rest() : undefined

  /** For each block, the number of leading elements of the pattern that it matched. */
  const found = new Uint8Array(LOG_SECTION_BLOCKS)
  for (const [round, { fingerprints }] of pattern.entries()) {
    let partition = inHead
    let loaded = -1
    for (const wanted of fingerprints) {
      if (inHead === undefined) {
        const index = Math.floor(wanted / 2 ** (32 - bits))
        // Fingerprints ascend, so each partition is read once.
        if (index !== loaded) partition = await read(logPartitionKey(section, index))
        loaded = index
      }
      markBlocks(partition as Uint8Array, wanted, found, round)
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
