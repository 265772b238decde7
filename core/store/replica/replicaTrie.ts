import { equalBytes, type Hash } from '../../bytes/bytes.ts'
import { type StateChanges, countChanges } from '../../state/account.ts'
import { historicalNodes } from '../../trie/state/historicalTrie.ts'
import { TrieCorruption } from '../../trie/nodes/load.ts'
import type { TrieNodeReader } from '../../trie/nodes/node.ts'
import { verifiedValue } from '../checksum.ts'
import type { KeyValueStore } from '../keyvalue/keyvalue.ts'
import { nodeKey, REPLICA_KEY, segmentKey } from '../keys.ts'
import { openSegment, segmentChanges } from '../segments/segment.ts'
import type { ChainHead } from '../store.ts'
import { createViews, type PrefetchTable, type Views } from '../views/views.ts'
import { StateUnavailable } from './errors.ts'
import { decodeReplicaHead, missingInReplica, type ReplicaHead } from './replicaHead.ts'

/*
 * The trie records of a replica are those of its last block. A reader of an earlier block undoes the blocks after it. When
 * a hash shows that a record was replaced during the read, the reader starts again from the new head.
 */

/** Most blocks that are undone. */
const UNDONE_BLOCKS_MAX = 1024

/** Most accounts and slots that are undone: the work is proportional to their number. */
const UNDONE_CHANGES_MAX = 200_000

/** Block records read at once. */
const SEGMENTS_AT_ONCE = 16

/** Restarts of a run, because the replica got a new head or because blocks had to be loaded first. */
const ATTEMPTS_MAX = 12

/** The views of a replica. Records may be newer than the head of a reader, so reads always use their history. */
export const createReadViews = (kv: KeyValueStore, prefetchTable?: PrefetchTable): Views =>
  createViews({ ...kv, getSync: undefined }, Number.MAX_SAFE_INTEGER, prefetchTable)

/** A trie after an earlier block: the changes to undo, and the resulting nodes. */
type EarlierTrie = { readonly reverse: readonly StateChanges[]; nodes: TrieNodeReader | undefined }

export type ReplicaTrie = {
  /** Caches of the state; replaced when the replica has a new head. */
  readonly views: () => Views
  /**
   * Trie records after a block, only within a run.
   * @param root the state root of the block
   */
  readonly at: (number: number, root: Hash) => TrieNodeReader
  /** As ChainStore.run. @throws StateUnavailable for a block too far back; TrieCorruption */
  readonly run: <T>(synchronous: () => T) => Promise<T>
  readonly runAtOnce: <T>(synchronous: () => T) => T | Promise<T>
  /** Forgets what was read: it may be forged. */
  readonly forget: () => void
}

type State = {
  readonly kv: KeyValueStore
  views: Views
  /** The head of the replica whose records are read. */
  sequence: number
  head: ChainHead
  readonly earlier: Map<number, EarlierTrie>
}

/** Thrown within a run when the blocks after this one must be loaded first. */
class TrieNotLoaded extends Error {
  override readonly name = 'TrieNotLoaded'
  readonly code = 'TRIE_NOT_LOADED'
  readonly number: number
  constructor(number: number) {
    super(`the trie after block ${number} must be loaded first`)
    this.number = number
  }
}

/** The changes of the blocks after `number` up to the head, the last one first. */
const readReverse = async ({ kv, head }: State, number: number): Promise<readonly StateChanges[]> => {
  const last = Number(head.header.number)
  if (last - number > UNDONE_BLOCKS_MAX) throw new StateUnavailable()
  const reverse: StateChanges[] = []
  let size = 0
  for (let at = number + 1; at <= last; at += SEGMENTS_AT_ONCE) {
    const count = Math.min(SEGMENTS_AT_ONCE, last - at + 1)
    const keys = Array.from({ length: count }, (_, index) => segmentKey(at + index))
    const values = await (kv.getMany?.(keys) ?? Promise.all(keys.map(key => kv.get(key))))
    for (const [index, stored] of values.entries()) {
      const key = keys[index] as string
      if (stored === undefined) throw missingInReplica(key, at + index)
      const changes = segmentChanges(openSegment(verifiedValue(key, stored, at + index)))
      size += countChanges(changes)
      if (size > UNDONE_CHANGES_MAX) throw new StateUnavailable()
      reverse.unshift(changes)
    }
    await kv.pause()
  }
  return reverse
}

/** Reads the head of the replica again; false when it has not changed. */
const refresh = async (state: State): Promise<boolean> => {
  const stored = await state.kv.get(REPLICA_KEY)
  if (stored === undefined) return false
  const { sequence, head } = decodeReplicaHead(stored)
  if (head === undefined || sequence === state.sequence) return false
  state.sequence = sequence
  state.head = head
  state.views = createReadViews(state.kv)
  state.earlier.clear()
  return true
}

const nodesAt = (state: State, number: number, root: Hash): TrieNodeReader => {
  const { views, head, earlier } = state
  const { header } = head
  const nodes: TrieNodeReader = { get: key => views.node(nodeKey(key)) }
  if (Number(header.number) === number && equalBytes(header.stateRoot, root)) return nodes
  const trie = earlier.get(number)
  if (trie === undefined) throw new TrieNotLoaded(number)
  if (trie.nodes !== undefined) return trie.nodes
  const undone = historicalNodes(nodes, trie.reverse, header.stateRoot)
  if (!equalBytes(undone.root, root)) throw new TrieCorruption(`after block ${number}`, root, undone.root)
  trie.nodes = undone.nodes
  return undone.nodes
}

export const createReplicaTrie = (
  kv: KeyValueStore,
  replica: ReplicaHead & { readonly head: ChainHead },
  views: Views,
): ReplicaTrie => {
  const { sequence, head } = replica
  const state: State = { kv, views, sequence, head, earlier: new Map() }
  /** Prepares another attempt, or throws the error. @throws the given error when another attempt cannot help */
  const recover = async (error: unknown): Promise<void> => {
    if (error instanceof TrieNotLoaded) {
      state.earlier.set(error.number, { reverse: await readReverse(state, error.number), nodes: undefined })
      return
    }
    if (!(error instanceof TrieCorruption) || !(await refresh(state))) throw error
  }
  const again = async <T>(first: unknown, synchronous: () => T): Promise<T> => {
    let failed = first
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
      await recover(failed)
      try {
        return await state.views.run(synchronous)
      } catch (error) {
        failed = error
      }
    }
    throw failed
  }
  return {
    views: () => state.views,
    at: (number, root) => nodesAt(state, number, root),
    forget: () => {
      state.views.forget()
      state.earlier.clear()
    },
    run: async synchronous => {
      try {
        return await state.views.run(synchronous)
      } catch (error) {
        return again(error, synchronous)
      }
    },
    runAtOnce: synchronous => {
      try {
        const result = state.views.runAtOnce(synchronous)
        return result instanceof Promise
          ? result.catch((error: unknown) => again(error, synchronous))
          : result
      } catch (error) {
        return again(error, synchronous)
      }
    },
  }
}
