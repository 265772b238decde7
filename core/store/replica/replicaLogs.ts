import { runSteps, type Steps } from '../../steps.ts'
import { withChecksum } from '../checksum.ts'
import type { KeyValueEntry } from '../keyvalue/keyvalue.ts'
import { LOG_GROUP_FINGERPRINTS_MAX, LOG_GROUP_SECTIONS, LOG_SECTION_BLOCKS } from '../limits.ts'
import { blockFingerprintsSteps } from '../logs/fingerprint.ts'
import { logsOfSegmentSteps } from '../logs/blockLogs.ts'
import {
  groupTable,
  type MemberFingerprints,
  type PostingReader,
  type PostingTable,
  sectionTable,
  tableFingerprints,
  tableRecords,
} from '../logs/postings.ts'
import { openSegment } from '../segments/segment.ts'

/** The fingerprints of the blocks after the last complete section of the log index. */
export type OpenSection = Map<number, Uint32Array>

/**
 * Adds the logs of a block to the open section. Yields between many.
 * @param segment the record of the block
 */
export function* addLogsSteps(open: OpenSection, number: number, segment: Uint8Array): Steps<void> {
  const { receipts } = yield* logsOfSegmentSteps(openSegment(segment))
  open.set(number, yield* blockFingerprintsSteps(receipts))
}

/** The entries of a section whose last block was added; `readSegment` reads blocks that are not in memory. */
export const sectionEntries = async (
  open: OpenSection,
  section: number,
  readSegment: (number: number) => Promise<Uint8Array>,
): Promise<readonly KeyValueEntry[]> => {
  const first = section * LOG_SECTION_BLOCKS
  const blocks: Uint32Array[] = []
  for (let number = first; number < first + LOG_SECTION_BLOCKS; number++) {
    if (!open.has(number)) runSteps(addLogsSteps(open, number, await readSegment(number)))
    blocks.push(open.get(number) as Uint32Array)
  }
  return entriesOf(sectionTable(section), blocks)
}

const entriesOf = (table: PostingTable, members: MemberFingerprints): readonly KeyValueEntry[] =>
  [...tableRecords(table, members)].map(({ key, value }) => ({ key, value: withChecksum(key, value) }))

/**
 * The entries of a group whose last section was added. Sections beyond its limit of memory are read by every search.
 * @param reader of the stored sections and of those that are written with the group
 */
export const groupEntries = async (
  reader: PostingReader,
  group: number,
): Promise<readonly KeyValueEntry[]> => {
  const sections: (Uint32Array | undefined)[] = []
  let left = LOG_GROUP_FINGERPRINTS_MAX
  for (let offset = 0; offset < LOG_GROUP_SECTIONS; offset++) {
    const table = sectionTable(group * LOG_GROUP_SECTIONS + offset)
    const fingerprints = left > 0 ? await tableFingerprints(reader, table) : undefined
    left -= fingerprints?.length ?? 0
    sections.push(left >= 0 ? fingerprints : undefined)
    await reader.pause()
  }
  return entriesOf(groupTable(group), sections)
}
