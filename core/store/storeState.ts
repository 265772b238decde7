import type { TrieNodeReader } from '../trie/nodes/node.ts'
import type { BlockReader } from './reading/blockReader.ts'
import type { ChainMemory } from './chainMemory.ts'
import type { Damage } from './recovery/damage.ts'
import type { Flush } from './flushing/flush.ts'
import type { UndoableBlock } from './flushing/memtableUndo.ts'
import type { KeyValueStore } from './keyvalue/keyvalue.ts'
import type { LogIndex } from './logs/logIndex.ts'
import type { TrieSnapshots } from './trieSnapshots.ts'
import type { HistoryRemoval } from './pruning/removal.ts'
import type { SegmentWriter } from './segments/segmentWriter.ts'
import type { Failures } from './storeFailed.ts'

/** An open chain store: its parts, and the writes in progress. */
export type StoreState = {
  readonly kv: KeyValueStore
  readonly memory: ChainMemory
  readonly nodes: TrieNodeReader
  readonly snapshots: TrieSnapshots
  readonly segments: SegmentWriter
  readonly blocks: BlockReader
  readonly logs: LogIndex
  readonly failures: Failures
  readonly damage: Damage
  readonly removal: HistoryRemoval
  /** Unflushed blocks and bytes at which a flush starts. */
  readonly flushDue: { readonly blocks: number; readonly bytes: number }
  /** Bytes of one part of a large segment. */
  readonly segmentPartBytes: number
  /** The blocks of the active memtable in a rewindable store; undefined in any other store. */
  undoable: UndoableBlock[] | undefined
  /** Counts completed flushes. */
  flushSequence: number
  /** The flush that runs or has failed. */
  flush: Flush | undefined
  flushing: Promise<void> | undefined
  committing: boolean
  /** The write of a block that is already the head. */
  writing: Promise<void> | undefined
  retrying: Promise<void> | undefined
  closed: boolean
}
