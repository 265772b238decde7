import type { TrieCache } from './cache.ts'

/**
 * Where trie nodes are read from, synchronously, by the store key the trie asks for. Gives the stored record, undefined
 * when there is none. May throw MissingEntries (core/state/account.ts) over a store that can only be read asynchronously.
 */
export type TrieNodeReader = {
  get(key: string): Uint8Array | undefined
  /** What was decoded and verified of these records before; left out where the trie is read once. */
  readonly cache?: TrieCache
}

/** A record the trie changed: the new one, or undefined for one that is gone. */
export type TrieNodeWrite = { readonly key: string; readonly value: Uint8Array | undefined }

/** One key and its value; it carries the whole key, so it can move up and down the trie without being copied. */
export type Leaf = {
  readonly kind: 'leaf'
  readonly key: Uint8Array
  readonly value: Uint8Array
  /** Bytes of the value that its record keeps; found once, because a leaf is written again with every change beside it. */
  readonly ownLength: number
}

/** Stands for a child that has a record of its own and was not loaded. */
export const STORED = 'stored'
/** Stands for a child whose bytes are among those of its parent, not decoded and not held against its hash yet. */
export const INSIDE = 'inside'

export type Child = Leaf | Branch | typeof STORED | typeof INSIDE | undefined

/**
 * A branch node together with the extension node above it, if any. Immutable as far as anybody can tell: an update makes
 * new branches, and `children` only ever goes from STORED or INSIDE to what was loaded and verified, or back.
 */
export type Branch = {
  readonly kind: 'branch'
  /** Nibbles of the extension, one a byte; empty where there is none. */
  readonly prefix: Uint8Array
  /** 16 of them. */
  readonly children: Child[]
  /** Of the key that ends here; only tries whose keys differ in length have any. */
  readonly value: Uint8Array | undefined
  /** As it is stored (record.ts); in a trie that is not, its RLP alone. */
  readonly bytes: Uint8Array
  /** Where in these bytes the RLP of the branch node itself stands: the references to all 16 children, and the value. */
  readonly rlpStart: number
  readonly rlpEnd: number
}

/** A node in hand: an empty trie has none. */
export type Node = Leaf | Branch
