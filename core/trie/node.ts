import type { TrieCache } from './cache.ts'

/**
 * Synchronous source of trie records by store key. Returns the stored record, undefined if there is none. May throw
 * MissingEntries (core/state/account.ts) over an asynchronous store.
 */
export type TrieNodeReader = {
  get(key: string): Uint8Array | undefined
  /** Nodes decoded and verified before; undefined when the trie is read once. */
  readonly cache?: TrieCache
}

/** A changed record: its new value, or undefined if it was removed. */
export type TrieNodeWrite = { readonly key: string; readonly value: Uint8Array | undefined }

/** One key and its value; it has the whole key, so that it can move within the trie without copying. */
export type Leaf = {
  readonly kind: 'leaf'
  readonly key: Uint8Array
  readonly value: Uint8Array
  /**
   * Bytes of the value that its record stores; computed once, because a leaf is written again with every change in its
   * record.
   */
  readonly ownLength: number
  /**
   * The RLP of its hash, for a leaf whose long value is not kept: of the depth that it has once all entries are applied.
   * Until then its parents have wrong hashes, and are encoded again when it moves.
   */
  readonly reference: Uint8Array | undefined
}

/** Represents a child with its own record that was not loaded. */
export const STORED = 'stored'
/** Represents a child embedded in its parent's bytes, not decoded or verified yet. */
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
  /** 16 of them. */
  readonly children: Child[]
  /** Value of the key that ends here; only in tries with keys of different lengths. */
  readonly value: Uint8Array | undefined
  /** The stored form (record.ts); in a trie that is not stored, only the RLP. */
  readonly bytes: Uint8Array
  /** Bounds of the RLP of the branch node within these bytes: the references to all 16 children, and the value. */
  readonly rlpStart: number
  readonly rlpEnd: number
}

/** A loaded node; an empty trie has none. */
export type Node = Leaf | Branch
