import type { KeyValueStore } from '../keyvalue/keyvalue.ts'
import { headerKey } from '../keys.ts'
import { LOG_GROUP_SECTIONS, LOG_SECTION_BLOCKS } from '../limits.ts'
import { bloomMayMatch, type LogPattern } from '../logs/pattern.ts'
import { groupTable, type PostingReader, searchTable, sectionTable } from '../logs/postings.ts'
import type { LogBlocks } from '../logs/searchIndex.ts'
import type { ChainStore } from '../store.ts'

/** Headers read in one step of a log search, where no section of the index has them. */
const HEADERS_AT_ONCE = 64

export type ReplicaLogSearchOptions = {
  readonly kv: KeyValueStore
  /** Reads a value of the index. @throws StoreCorruption */
  readonly fetch: PostingReader['fetch']
  /** Complete sections of the index. */
  readonly sections: number
  readonly header: ChainStore['header']
}

/** The sections of a group that may have a matching log; undefined in a replica of an earlier release, which has no groups. */
type Candidates = { readonly group: number; readonly sections: readonly number[] | undefined }

const readCandidates = async (
  { kv, fetch }: ReplicaLogSearchOptions,
  pattern: LogPattern,
  group: number,
): Promise<Candidates> => {
  const table = groupTable(group)
  const head = await fetch(table.head)
  if (head === undefined) return { group, sections: undefined }
  const reader: PostingReader = {
    fetch: key => (key === table.head ? Promise.resolve(head) : fetch(key)),
    pause: () => kv.pause(),
  }
  const offsets = await searchTable(reader, table, pattern)
  return { group, sections: offsets.map(offset => group * LOG_GROUP_SECTIONS + offset) }
}

/** The blocks of a section that may have a matching log. */
const searchSection = async (
  { kv, fetch }: ReplicaLogSearchOptions,
  pattern: LogPattern,
  section: number,
  from: number,
  to: number,
): Promise<LogBlocks> => {
  const first = section * LOG_SECTION_BLOCKS
  const last = Math.min(to, first + LOG_SECTION_BLOCKS - 1)
  const offsets = await searchTable({ fetch, pause: () => kv.pause() }, sectionTable(section), pattern)
  const numbers = offsets.map(offset => first + offset).filter(number => number >= from && number <= last)
  return { numbers: numbers.map(BigInt), through: BigInt(last) }
}

/** Searches blocks after the index by their blooms. */
const searchHeaders = async (
  { kv, header }: ReplicaLogSearchOptions,
  pattern: LogPattern,
  from: number,
  to: number,
): Promise<LogBlocks> => {
  const last = Math.min(to, from + HEADERS_AT_ONCE - 1)
  // Loads the headers into the cache under this store.
  await kv.getMany?.(Array.from({ length: last - from + 1 }, (_, index) => headerKey(from + index)))
  const numbers: bigint[] = []
  for (let number = BigInt(from); number <= BigInt(last); number++) {
    const bloom = (await header(number))?.logsBloom
    if (bloom !== undefined && bloomMayMatch(bloom, pattern)) numbers.push(number)
  }
  return { numbers, through: BigInt(last) }
}

/** As ChainStore.searchLogs: by the groups and sections of the index that a node has written, then by the blooms of headers. */
export const createReplicaLogSearch = (options: ReplicaLogSearchOptions): ChainStore['searchLogs'] => {
  const { sections } = options
  const groups = Math.floor(sections / LOG_GROUP_SECTIONS)
  /** For each running search, those of its current group. */
  const known = new WeakMap<LogPattern, Candidates>()
  const candidatesOf = async (pattern: LogPattern, group: number): Promise<Candidates['sections']> => {
    const before = known.get(pattern)
    if (before?.group === group) return before.sections
    const found = await readCandidates(options, pattern, group)
    known.set(pattern, found)
    return found.sections
  }
  return async (pattern, fromBlock, toBlock) => {
    const [from, to] = [Number(fromBlock), Number(toBlock)]
    const section = Math.floor(from / LOG_SECTION_BLOCKS)
    if (section >= sections) return searchHeaders(options, pattern, from, to)
    const last = Math.floor(to / LOG_SECTION_BLOCKS)
    const group = Math.floor(section / LOG_GROUP_SECTIONS)
    const candidates = group < groups && section < last ? await candidatesOf(pattern, group) : undefined
    if (candidates === undefined) return searchSection(options, pattern, section, from, to)
    const end = Math.min(last, (group + 1) * LOG_GROUP_SECTIONS - 1)
    const next = candidates.find(candidate => candidate >= section)
    if (next !== undefined && next <= end) return searchSection(options, pattern, next, from, to)
    return { numbers: [], through: BigInt(Math.min(to, (end + 1) * LOG_SECTION_BLOCKS - 1)) }
  }
}
