import type { Header } from '../../block/header.ts'
import type { KeyValueStore } from '../keyvalue/keyvalue.ts'
import type { BlockLogs } from './blockLogs.ts'
import type { LogPattern } from './pattern.ts'
import type { PostingReader } from './postings.ts'
import type { LogProgress } from './progress.ts'

export type LogIndexSources = {
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

type GroupCandidates = { readonly group: number; readonly sections: readonly number[] }

/** The state of an index: the stored sections, the blocks in memory, and the background work. */
export type LogIndexState = {
  readonly kv: KeyValueStore
  readonly sources: LogIndexSources
  progress: LogProgress
  /** Number of stored sections; the stored progress may lag behind. */
  sections: number
  /** Number of stored groups of sections. */
  groups: number
  /** Fingerprints of blocks in memory, oldest first. */
  readonly recent: Map<number, Uint32Array>
  recentBytes: number
  /** For each running search, the sections of its current group that may have a matching log. */
  readonly candidates: WeakMap<LogPattern, GroupCandidates>
  /** The flushed height, up to which sections can be stored. */
  target: number
  running: Promise<void> | undefined
  stopped: boolean
  closed: boolean
}

/** Reads the stored tables of the index. */
export const postingReaderOf = ({ kv, sources }: LogIndexState): PostingReader => ({
  fetch: sources.fetch,
  pause: () => kv.pause(),
})
