import { evictWhile } from '../../collections/boundedMap.ts'
import { StoreCorruption, withChecksum } from '../checksum.ts'
import { HistoryPruned } from '../historyPruned.ts'
import { runStepsYielding } from '../../steps.ts'
import type { KeyValueStore } from '../keyvalue/keyvalue.ts'
import {
  LOG_GROUP_FINGERPRINTS_MAX,
  LOG_GROUP_SECTIONS,
  LOG_PROGRESS_SECTIONS,
  LOG_RECENT_BYTES,
  LOG_SECTION_BLOCKS,
} from '../limits.ts'
import { blockFingerprintsSteps } from './fingerprint.ts'
import { readLogProgress, writeLogProgress } from './progress.ts'
import type { LogPattern } from './pattern.ts'
import {
  groupTable,
  type MemberFingerprints,
  type PostingTable,
  sectionTable,
  tableFingerprints,
  tableRecords,
} from './postings.ts'
import { type LogBlocks, searchIndex } from './searchIndex.ts'
import { type LogIndexSources, type LogIndexState, postingReaderOf } from './logIndexState.ts'

/**
 * Index of the values in the logs of each block. Sections of blocks are stored once the views contain them; later blocks
 * are in memory. Sections are joined to groups, which name the sections that a search must read. Blocks committed before the index existed, or shortly before a start, are in neither: a search uses their
 * header's bloom until their section is built from the segments in the background.
 */
export type LogIndex = {
  /** Adds the block just committed, by the fingerprints of its logs. */
  add(number: number, fingerprints: Uint32Array): void
  /** Forgets the blocks `first` to `last`, which are no longer on the chain. */
  discard(first: number, last: number): void
  /** Continues to store, in the background, the sections up to the flushed height. */
  advance(flushedHeight: number): void
  /** Continues after a failure. */
  resume(): void
  /** Resolves when all due sections are stored, or storing has failed. */
  settled(): Promise<void>
  /** As `searchIndex`. @throws HistoryPruned, StoreCorruption */
  readonly search: (pattern: LogPattern, from: bigint, to: bigint) => Promise<LogBlocks>
  /** Stops the background work and waits for it; the next start continues it. */
  close(): Promise<void>
}

/** Memory of a block besides its fingerprints. */
const RECENT_BLOCK_BYTES = 200

const discard = (index: LogIndexState, number: number): void => {
  const known = index.recent.get(number)
  if (known === undefined) return
  index.recentBytes -= RECENT_BLOCK_BYTES + known.byteLength
  index.recent.delete(number)
}

const addBlock = (index: LogIndexState, number: number, fingerprints: Uint32Array): void => {
  discard(index, number)
  index.recent.set(number, fingerprints)
  index.recentBytes += RECENT_BLOCK_BYTES + fingerprints.byteLength
  evictWhile(
    index.recent,
    () => index.recentBytes > LOG_RECENT_BYTES,
    oldest => discard(index, oldest),
  )
}

/**
 * The fingerprints of a block, from memory or its segment; undefined for a damaged segment, which its readers report, and
 * for one that was removed.
 */
const fingerprintsOf = async (
  { recent, sources, kv }: LogIndexState,
  number: number,
): Promise<Uint32Array | undefined> => {
  const known = recent.get(number)
  if (known !== undefined) return known
  try {
    const receipts = (await sources.logsOf(BigInt(number)))?.receipts ?? []
    return await runStepsYielding(blockFingerprintsSteps(receipts), () => kv.pause())
  } catch (error) {
    if (error instanceof StoreCorruption || error instanceof HistoryPruned) return undefined
    throw error
  } finally {
    await kv.pause()
  }
}

/** Returns false when it was stopped. */
const storeTable = async (
  index: LogIndexState,
  table: PostingTable,
  members: MemberFingerprints,
): Promise<boolean> => {
  for (const { key, value } of tableRecords(table, members)) {
    if (index.stopped) return false
    await index.kv.set([{ key, value: withChecksum(key, value) }])
    await index.kv.pause()
  }
  return true
}

const storeSection = async (index: LogIndexState): Promise<void> => {
  const first = index.sections * LOG_SECTION_BLOCKS
  const blocks: (Uint32Array | undefined)[] = []
  for (let offset = 0; offset < LOG_SECTION_BLOCKS; offset++) {
    if (index.stopped) return
    blocks.push(await fingerprintsOf(index, first + offset))
  }
  if (!(await storeTable(index, sectionTable(index.sections), blocks))) return
  index.sections++
  for (let offset = 0; offset < LOG_SECTION_BLOCKS; offset++) discard(index, first + offset)
}

/** The fingerprints of a stored section; undefined for one that every search is to read. */
const sectionFingerprints = async (
  index: LogIndexState,
  section: number,
): Promise<Uint32Array | undefined> => {
  try {
    return await tableFingerprints(postingReaderOf(index), sectionTable(section))
  } catch (error) {
    // It is damaged, which its readers report, or was removed.
    if (error instanceof StoreCorruption) return undefined
    throw error
  } finally {
    await index.kv.pause()
  }
}

const storeGroup = async (index: LogIndexState): Promise<void> => {
  const first = index.groups * LOG_GROUP_SECTIONS
  const sections: (Uint32Array | undefined)[] = []
  let left = LOG_GROUP_FINGERPRINTS_MAX
  for (let offset = 0; offset < LOG_GROUP_SECTIONS; offset++) {
    if (index.stopped) return
    const fingerprints = left > 0 ? await sectionFingerprints(index, first + offset) : undefined
    left -= fingerprints?.length ?? 0
    sections.push(left >= 0 ? fingerprints : undefined)
  }
  if (await storeTable(index, groupTable(index.groups), sections)) index.groups++
}

const storeProgress = async (index: LogIndexState): Promise<void> => {
  const { kv, progress, sections, groups } = index
  if (sections === progress.sections && groups === progress.groups) return
  await kv.sync()
  index.progress = await writeLogProgress(kv, { ...progress, sections, groups })
}

const isProgressDue = ({ sections, groups, progress }: LogIndexState): boolean =>
  sections - progress.sections >= LOG_PROGRESS_SECTIONS || groups > progress.groups

const isGroupDue = ({ sections, groups }: LogIndexState): boolean =>
  (groups + 1) * LOG_GROUP_SECTIONS <= sections

const isDue = (index: LogIndexState): boolean => {
  const { stopped, sections, target, sources } = index
  if (stopped || !sources.isStored) return false
  return (sections + 1) * LOG_SECTION_BLOCKS <= target + 1 || isGroupDue(index)
}

/** Sections and groups of removed blocks are not searched. */
const skipRemoved = (index: LogIndexState): void => {
  const section = Math.floor(index.sources.memory.historyStart / LOG_SECTION_BLOCKS)
  index.sections = Math.max(index.sections, section)
  index.groups = Math.max(index.groups, Math.floor(section / LOG_GROUP_SECTIONS))
}

const storeSections = async (index: LogIndexState): Promise<void> => {
  try {
    // The callers of the flush that started this continue first.
    await index.kv.pause()
    for (skipRemoved(index); isDue(index); skipRemoved(index)) {
      if (isGroupDue(index)) await storeGroup(index)
      else await storeSection(index)
      if (!isDue(index) || isProgressDue(index)) await storeProgress(index)
    }
  } catch (error) {
    index.stopped = true
    index.sources.onFailed(error)
  } finally {
    index.running = undefined
  }
}

const startStoring = (index: LogIndexState): void => {
  if (isDue(index)) index.running ??= storeSections(index)
}

export const openLogIndex = async (kv: KeyValueStore, sources: LogIndexSources): Promise<LogIndex> => {
  const progress = await readLogProgress(kv)
  const index: LogIndexState = {
    kv,
    sources,
    progress,
    sections: progress.sections,
    groups: progress.groups,
    recent: new Map(),
    recentBytes: 0,
    candidates: new WeakMap(),
    target: -1,
    running: undefined,
    stopped: false,
    closed: false,
  }
  return {
    add: (number, fingerprints) => addBlock(index, number, fingerprints),
    discard: (first, last) => {
      for (let number = first; number <= last; number++) discard(index, number)
    },
    advance: to => {
      index.target = to
      startStoring(index)
    },
    resume: () => {
      index.stopped = index.closed
      startStoring(index)
    },
    settled: async () => index.running,
    search: (pattern, from, to) => searchIndex(index, pattern, from, to),
    close: async () => {
      index.closed = true
      index.stopped = true
      await index.running
    },
  }
}
