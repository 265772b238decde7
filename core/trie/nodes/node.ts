import type { Hash } from '../../bytes/bytes.ts'
import type { StateChanges } from '../../state/account.ts'
import type { TrieCache } from './cache.ts'

/**
 * Reads trie records synchronously by store key: the stored record, or undefined if there is none. Over an asynchronous
 * store it may throw MissingEntries (core/state/account.ts).
 */
export type TrieNodeReader = {
  get(key: string): Uint8Array | undefined
  /** Decoded and verified nodes; undefined when the trie is read only once. */
  readonly cache?: TrieCache
  /**
   * True where most of the state is with another network, so that no trie can be built: state roots are then those of
   * core/trie/state/chainedRoot.ts, and nothing can be proved.
   */
  readonly isPartial?: boolean
}

/** A changed record: its new value, or undefined if it was removed. */
export type TrieNodeWrite = { readonly key: string; readonly value: Uint8Array | undefined }

/** The result of a block's state trie update. */
export type StateRootUpdate = {
  readonly root: Hash
  /** The given changes with every `after.storageRoot` set. */
  readonly changes: StateChanges
  /** The records that are new, changed or removed. */
  readonly nodes: readonly TrieNodeWrite[]
}

/** One key and its value. The key is whole, so that the leaf can move within the trie without copying. */
export type Leaf = {
  readonly kind: 'leaf'
  readonly key: Uint8Array
  readonly value: Uint8Array
  /**
   * Number of the value's bytes that the record stores. Computed once, because every change in a record writes all its
   * leaves again.
   */
  readonly ownLength: number
  /**
   * The RLP of its hash, for a leaf whose long value is not kept. It holds for the depth of the leaf after all entries are
   * applied; until then its parents have wrong hashes, and are encoded again when the leaf moves.
   */
  readonly reference: Uint8Array | undefined
}

/** Stands for a child that has its own record and was not loaded. */
export const STORED = 'stored'
/** Stands for a child embedded in its parent's bytes that was not decoded or verified. */
export const INSIDE = 'inside'

export type Child = Leaf | Branch | typeof STORED | typeof INSIDE | undefined

/**
 * A branch node with the extension node above it, if any. Effectively immutable: updates create new branches, and
 * `children` only change from STORED or INSIDE to the loaded and verified node, or back.
 */
export type Branch = {
  readonly kind: 'branch'
  /** Nibbles of the extension, one per byte; empty without an extension. */
  readonly prefix: Uint8Array
  /** 16 entries. */
  readonly children: Child[]
  /** Value of the key that ends here; only in tries with keys of different lengths. */
  readonly value: Uint8Array | undefined
  /** The stored form (record.ts); in a trie that is not stored, only the RLP. */
  readonly bytes: Uint8Array
  /** Bounds in `bytes` of the branch node's RLP: the references to all 16 children, and the value. */
  readonly rlpStart: number
  readonly rlpEnd: number
}

/** A loaded node; an empty trie has none. */
export type Node = Leaf | Branch
