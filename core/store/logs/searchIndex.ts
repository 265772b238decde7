import { HistoryPruned, requireBlockKept } from '../historyPruned.ts'
import { LOG_GROUP_SECTIONS, LOG_SECTION_BLOCKS } from '../limits.ts'
import { type LogIndexState, postingReaderOf } from './logIndexState.ts'
import { bloomMayMatch, fingerprintsMayMatch, type LogPattern } from './pattern.ts'
import { groupTable, searchTable, sectionTable } from './postings.ts'

/** One step of a search: the blocks that may have a matching log, ascending, and the last block that was searched. */
export type LogBlocks = { readonly numbers: readonly bigint[]; readonly through: bigint }

/** Checks a block that no stored section contains. */
const mayMatch = async (
  { recent, sources }: LogIndexState,
  number: number,
  pattern: LogPattern,
): Promise<boolean> => {
  const fingerprints = recent.get(number)
  if (fingerprints !== undefined) return fingerprintsMayMatch(fingerprints, pattern)
  const bloom = (await sources.header(BigInt(number)))?.logsBloom
  return bloom !== undefined && bloomMayMatch(bloom, pattern)
}

/** The sections of a stored group that may have a matching log, ascending. @throws StoreCorruption */
const candidatesOf = async (
  index: LogIndexState,
  pattern: LogPattern,
  group: number,
): Promise<readonly number[]> => {
  const known = index.candidates.get(pattern)
  if (known?.group === group) return known.sections
  const offsets = await searchTable(postingReaderOf(index), groupTable(group), pattern)
  const sections = offsets.map(offset => group * LOG_GROUP_SECTIONS + offset)
  index.candidates.set(pattern, { group, sections })
  return sections
}

/**
 * The first stored section of `section` to `last` that may have a matching log, where no other than those of one group are
 * looked at; undefined with the last of those when none may.
 * @throws StoreCorruption
 */
const nextSection = async (
  index: LogIndexState,
  pattern: LogPattern,
  section: number,
  last: number,
): Promise<{ readonly section: number; readonly isCandidate: boolean }> => {
  const group = Math.floor(section / LOG_GROUP_SECTIONS)
  if (group >= index.groups || section === last) return { section, isCandidate: true }
  const found = (await candidatesOf(index, pattern, group)).find(candidate => candidate >= section)
  const end = Math.min(last, (group + 1) * LOG_GROUP_SECTIONS - 1)
  return found === undefined || found > end
    ? { section: end, isCandidate: false }
    : { section: found, isCandidate: true }
}

/** As `searchIndex`, where the first section is stored. @throws HistoryPruned, StoreCorruption */
const searchStored = async (
  index: LogIndexState,
  pattern: LogPattern,
  from: number,
  to: number,
): Promise<LogBlocks> => {
  try {
    const first = Math.floor(from / LOG_SECTION_BLOCKS)
    const last = Math.floor(to / LOG_SECTION_BLOCKS)
    const { section, isCandidate } = await nextSection(index, pattern, first, last)
    const offsets = isCandidate
      ? await searchTable(postingReaderOf(index), sectionTable(section), pattern)
      : []
    const numbers = offsets
      .map(offset => section * LOG_SECTION_BLOCKS + offset)
      .filter(number => number >= from && number <= to)
    return {
      numbers: numbers.map(BigInt),
      through: BigInt(Math.min(to, (section + 1) * LOG_SECTION_BLOCKS - 1)),
    }
  } catch (error) {
    // They may have been removed meanwhile.
    requireBlockKept(index.sources.memory, from)
    throw error
  }
}

/**
 * Searches the first blocks of `from` to `to` (both at most the head): those of one section at most, and before them of
 * sections that the group leaves out. @throws HistoryPruned, StoreCorruption
 */
export const searchIndex = async (
  index: LogIndexState,
  pattern: LogPattern,
  from: bigint,
  to: bigint,
): Promise<LogBlocks> => {
  const { historyStart } = index.sources.memory
  // The genesis block has no logs.
  if (to === 0n) return { numbers: [], through: 0n }
  if (Number(from) < historyStart) throw new HistoryPruned('block', Number(from), historyStart)
  const section = Math.floor(Number(from) / LOG_SECTION_BLOCKS)
  if (section < index.sections) return await searchStored(index, pattern, Number(from), Number(to))
  const last = Math.min(Number(to), (section + 1) * LOG_SECTION_BLOCKS - 1)
  const numbers: bigint[] = []
  for (let number = Number(from); number <= last; number++)
    if (await mayMatch(index, number, pattern)) numbers.push(BigInt(number))
  return { numbers, through: BigInt(last) }
}
