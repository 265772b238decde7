import type { Header } from '../../chain/header.ts'
import type { Receipt } from '../../chain/receipt.ts'
import type { BlockLogs } from './blockLogs.ts'
import { StoreCorruption, withChecksum } from '../checksum.ts'
import type { KeyValueStore } from '../keyvalue.ts'
import { LOG_PROGRESS_SECTIONS, LOG_RECENT_BYTES, LOG_SECTION_BLOCKS } from '../limits.ts'
import { blockFingerprints } from './fingerprint.ts'
import { readLogProgress, writeLogProgress } from './progress.ts'
import { bloomMayMatch, fingerprintsMayMatch, type LogPattern } from './pattern.ts'
import { searchSection, sectionRecords } from './section.ts'

/**
 * One step of a search: the blocks that may have a matching log, ascending, and the block up to which the search has come.
 */
export type LogBlocks = { readonly numbers: readonly bigint[]; readonly through: bigint }

/**
 * Index of the values in the logs of each block. Sections of blocks are stored once the views contain them; later blocks
 * are in memory. Blocks committed before there was an index, or shortly before a start, are in neither: their header's
 * bloom is used until their section is built in the background from the segments.
 */
export type LogIndex = {
  /** Adds the block just committed. */
  add(number: number, receipts: readonly Receipt[]): void
  /** Continues to store, in the background, the sections up to the flushed height. */
  advance(flushedHeight: number): void
  /** Continues after a failure. */
  resume(): void
  /** Resolves when there is nothing left to store, or storing has failed. */
  settled(): Promise<void>
  /** Searches the first blocks of `from` to `to` (both at most the head), one section at most. @throws StoreCorruption */
  readonly search: (pattern: LogPattern, from: bigint, to: bigint) => Promise<LogBlocks>
  /** Stops the background work soon; a start continues it. */
  close(): Promise<void>
}

/** Memory of a block besides its fingerprints. */
const RECENT_BLOCK_BYTES = 200

export type LogIndexSources = {
  /** Reads a value of the views. @throws StoreCorruption */
  readonly fetch: (key: string) => Promise<Uint8Array | undefined>
  /** @throws StoreCorruption */
  readonly header: (number: bigint) => Promise<Header | undefined>
  /** The logs of a block that the views contain. @throws StoreCorruption */
  readonly logsOf: (number: bigint) => Promise<BlockLogs | undefined>
  /** Called when a section cannot be stored; storing stops. */
  readonly onFailed: (cause: unknown) => void
}

export const openLogIndex = async (
  kv: KeyValueStore,
  { fetch, header, logsOf, onFailed }: LogIndexSources,
): Promise<LogIndex> => {
  let flushedHeight = await readLogProgress(kv)
  /** Searchable sections: stored, although the stored progress may lag behind. */
  let sections = flushedHeight.sections
  const recent = new Map<number, Uint32Array>()
  let recentBytes = 0
  let target = -1
  let running: Promise<void> | undefined
  let stopped = false
  let closed = false

  const discard = (number: number): void => {
    const known = recent.get(number)
    if (known === undefined) return
    recentBytes -= RECENT_BLOCK_BYTES + known.byteLength
    recent.delete(number)
  }

  /** From memory or from the segment; undefined for a damaged segment, which its readers report. */
  const fingerprintsOf = async (number: number): Promise<Uint32Array | undefined> => {
    const known = recent.get(number)
    if (known !== undefined) return known
    try {
      return blockFingerprints((await logsOf(BigInt(number)))?.receipts ?? [])
    } catch (error) {
      if (error instanceof StoreCorruption) return undefined
      throw error
    } finally {
      await kv.pause()
    }
  }

  const storeSection = async (): Promise<void> => {
    const first = sections * LOG_SECTION_BLOCKS
    const blocks: (Uint32Array | undefined)[] = []
    for (let offset = 0; offset < LOG_SECTION_BLOCKS; offset++) {
      if (stopped) return
      blocks.push(await fingerprintsOf(first + offset))
    }
    for (const { key, value } of sectionRecords(sections, blocks)) {
      if (stopped) return
      await kv.set([{ key, value: withChecksum(key, value) }])
      await kv.pause()
    }
    sections++
    for (let offset = 0; offset < LOG_SECTION_BLOCKS; offset++) discard(first + offset)
  }

  const storeProgress = async (): Promise<void> => {
    if (sections === flushedHeight.sections) return
    await kv.sync()
    flushedHeight = await writeLogProgress(kv, { ...flushedHeight, sections })
  }

  /** Checks a block that no stored section contains. */
  const mayMatch = async (number: number, pattern: LogPattern): Promise<boolean> => {
    const fingerprints = recent.get(number)
    if (fingerprints !== undefined) return fingerprintsMayMatch(fingerprints, pattern)
    const bloom = (await header(BigInt(number)))?.logsBloom
    return bloom !== undefined && bloomMayMatch(bloom, pattern)
  }

  const isDue = (): boolean => !stopped && (sections + 1) * LOG_SECTION_BLOCKS <= target + 1

  const run = async (): Promise<void> => {
    try {
      // The flush that started this has waiting callers.
      await kv.pause()
      while (isDue()) {
        await storeSection()
        if (!isDue() || sections - flushedHeight.sections >= LOG_PROGRESS_SECTIONS) await storeProgress()
      }
    } catch (error) {
      stopped = true
      onFailed(error)
    } finally {
      running = undefined
    }
  }

  return {
    add: (number, added) => {
      const fingerprints = blockFingerprints(added)
      recent.set(number, fingerprints)
      recentBytes += RECENT_BLOCK_BYTES + fingerprints.byteLength
      for (const oldest of recent.keys()) {
        if (recentBytes <= LOG_RECENT_BYTES) break
        discard(oldest)
      }
    },
    advance: to => {
      target = to
      if (isDue()) running ??= run()
    },
    resume: () => {
      stopped = closed
      if (isDue()) running ??= run()
    },
    settled: async () => running,
    search: async (pattern, from, to) => {
      const section = Math.floor(Number(from) / LOG_SECTION_BLOCKS)
      const first = section * LOG_SECTION_BLOCKS
      const last = Math.min(Number(to), first + LOG_SECTION_BLOCKS - 1)
      const numbers: bigint[] = []
      if (section < sections) {
        for (const offset of await searchSection(fetch, section, pattern)) {
          const number = first + offset
          if (number >= Number(from) && number <= last) numbers.push(BigInt(number))
        }
      } else
        for (let number = Number(from); number <= last; number++)
          if (await mayMatch(number, pattern)) numbers.push(BigInt(number))
      return { numbers, through: BigInt(last) }
    },
    close: async () => {
      closed = true
      stopped = true
      await running
    },
  }
}
