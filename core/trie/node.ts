/**
 * Where trie nodes are read from, synchronously, by the store key the trie asks for. Gives the stored record, undefined
 * when there is none. May throw MissingEntries (core/state/account.ts) over a store that can only be read asynchronously.
 */
export type TrieNodeReader = { get(key: string): Uint8Array | undefined }

/** A record the trie changed: the new one, or undefined for one that is gone. */
export type TrieNodeWrite = { readonly key: string; readonly value: Uint8Array | undefined }
