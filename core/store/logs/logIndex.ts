import { evictWhile } from '../../collections/boundedMap.ts'
import type { Header } from '../../block/header.ts'
import type { BlockLogs } from './blockLogs.ts'
import { StoreCorruption, withChecksum } from '../checksum.ts'
import { HistoryPruned, requireBlockKept } from '../historyPruned.ts'
import { runStepsYielding } from '../../steps.ts'
import type { KeyValueStore } from '../keyvalue/keyvalue.ts'
import { LOG_PROGRESS_SECTIONS, LOG_RECENT_BYTES, LOG_SECTION_BLOCKS } from '../limits.ts'
import { blockFingerprintsSteps } from './fingerprint.ts'
import { type LogProgress, readLogProgress, writeLogProgress } from './progress.ts'
import { bloomMayMatch, fingerprintsMayMatch, type LogPattern } from './pattern.ts'
import { searchSection, sectionRecords } from './section.ts'

/** One step of a search: the blocks that may have a matching log, ascending, and the last block that was searched. */
export type LogBlocks = { readonly numbers: readonly bigint[]; readonly through: bigint }

/**
 * Index of the values in the logs of each block. Sections of blocks are stored once the views contain them; later blocks
 * are in memory. Blocks committed before the index existed, or shortly before a start, are in neither: a search uses their
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
  /** Searches the first blocks of `from` to `to` (both at most the head), one section at most. @throws HistoryPruned, StoreCorruption */
  readonly search: (pattern: LogPattern, from: bigint, to: bigint) => Promise<LogBlocks>
  /** Stops the background work and waits for it; the next start continues it. */
  close(): Promise<void>
}

/** Memory of a block besides its fingerprints. */
const RECENT_BLOCK_BYTES = 200

type LogIndexSources = {
  /** Reads a value of the views. @throws StoreCorruption */
  readonly fetch: (key: string) => Promise<Uint8Array | undefined>
  /** @throws StoreCorruption */
  readonly header: (number: bigint) => Promise<Header | undefined>
  /** The logs of a block that the views contain. @throws StoreCorruption */
  readonly logsOf: (number: bigint) => Promise<BlockLogs | undefined>
  /** Called when a section cannot be stored; storing stops. */
  readonly onFailed: (cause: unknown) => void
  /** False if no sections are stored: a search uses the blooms of blocks that are not in memory. */
  readonly isStored: boolean
  /** The first block that is kept. */
  readonly memory: { readonly historyStart: number }
}

/** The state of an index: the stored sections, the blocks in memory, and the background work. */
type LogIndexState = {
  readonly kv: KeyValueStore
  readonly sources: LogIndexSources
  progress: LogProgress
  /** Number of stored sections; the stored progress may lag behind. */
  sections: number
  /** Fingerprints of blocks in memory, oldest first. */
  readonly recent: Map<number, Uint32Array>
  recentBytes: number
  /** The flushed height, up to which sections can be stored. */
  target: number
  running: Promise<void> | undefined
  stopped: boolean
  closed: boolean
}

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

const storeSection = async (index: LogIndexState): Promise<void> => {
  const { kv } = index
  const first = index.sections * LOG_SECTION_BLOCKS
  const blocks: (Uint32Array | undefined)[] = []
  for (let offset = 0; offset < LOG_SECTION_BLOCKS; offset++) {
    if (index.stopped) return
    blocks.push(await fingerprintsOf(index, first + offset))
  }
  for (const { key, value } of sectionRecords(index.sections, blocks)) {
    if (index.stopped) return
    await kv.set([{ key, value: withChecksum(key, value) }])
    await kv.pause()
  }
  index.sections++
  for (let offset = 0; offset < LOG_SECTION_BLOCKS; offset++) discard(index, first + offset)
}

const storeProgress = async (index: LogIndexState): Promise<void> => {
  const { kv, progress, sections } = index
  if (sections === progress.sections) return
  await kv.sync()
  index.progress = await writeLogProgress(kv, { ...progress, sections })
}

const isDue = ({ stopped, sections, target, sources }: LogIndexState): boolean =>
  !stopped && sources.isStored && (sections + 1) * LOG_SECTION_BLOCKS <= target + 1

const storeSections = async (index: LogIndexState): Promise<void> => {
  try {
    // The callers of the flush that started this continue first.
    await index.kv.pause()
    while (isDue(index)) {
      // Sections of removed blocks are not searched.
      const first = Math.floor(index.sources.memory.historyStart / LOG_SECTION_BLOCKS)
      if (first > index.sections) {
        index.sections = first
        continue
      }
      await storeSection(index)
      if (!isDue(index) || index.sections - index.progress.sections >= LOG_PROGRESS_SECTIONS)
        await storeProgress(index)
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

/** The blocks of a stored section that may match. @throws HistoryPruned, StoreCorruption */
const searchStored = async (
  { sources: { fetch, memory } }: LogIndexState,
  pattern: LogPattern,
  section: number,
  from: bigint,
): Promise<readonly number[]> => {
  try {
    return await searchSection(fetch, section, pattern)
  } catch (error) {
    // It may have been removed meanwhile.
    requireBlockKept(memory, Number(from))
    throw error
  }
}

const search = async (
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
  const first = section * LOG_SECTION_BLOCKS
  const last = Math.min(Number(to), first + LOG_SECTION_BLOCKS - 1)
  const numbers: bigint[] = []
  if (section < index.sections) {
    for (const offset of await searchStored(index, pattern, section, from)) {
      const number = first + offset
      if (number >= Number(from) && number <= last) numbers.push(BigInt(number))
    }
  } else
    for (let number = Number(from); number <= last; number++)
      if (await mayMatch(index, number, pattern)) numbers.push(BigInt(number))
  return { numbers, through: BigInt(last) }
}

export const openLogIndex = async (kv: KeyValueStore, sources: LogIndexSources): Promise<LogIndex> => {
  const progress = await readLogProgress(kv)
  const index: LogIndexState = {
    kv,
    sources,
    progress,
    sections: progress.sections,
    recent: new Map(),
    recentBytes: 0,
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
    search: (pattern, from, to) => search(index, pattern, from, to),
    close: async () => {
      index.closed = true
      index.stopped = true
      await index.running
    },
  }
}
