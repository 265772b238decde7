import { compareBytes, type Hash } from '../../../core/bytes/bytes.ts'
import { loadRoot, MISSING, rootHash, type TrieRun } from '../../../core/trie/load.ts'
import type { TrieNodeReader, TrieNodeWrite } from '../../../core/trie/node.ts'
import { type TrieEntry, updateTrie } from '../../../core/trie/trie.ts'

/** Deterministic numbers: the same seed gives the same sequence (mulberry32). */
export const seeded = (seed: number): (() => number) => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
}

export const randomBytes = (next: () => number, length: number): Uint8Array =>
  Uint8Array.from({ length }, () => next() & 255)

export type Records = TrieNodeReader & {
  readonly map: Map<string, Uint8Array>
  write(nodes: readonly TrieNodeWrite[]): void
}

/** Records kept in memory, as a store keeps them. */
export const createRecords = (): Records => {
  const map = new Map<string, Uint8Array>()
  return {
    map,
    get: key => map.get(key),
    write: nodes => {
      for (const { key, value } of nodes) {
        if (value === undefined) map.delete(key)
        else map.set(key, value)
      }
    },
  }
}

export const entry = (key: Uint8Array, value: Uint8Array | undefined): TrieEntry => ({ key, value })

export const sorted = (entries: readonly TrieEntry[]): TrieEntry[] =>
  entries.toSorted((a, b) => compareBytes(a.key, b.key))

/** Applies a batch to a stored trie and writes the records back; nothing is kept in memory between calls. */
export const updateStored = (
  records: Records,
  root: Hash,
  entries: readonly TrieEntry[],
  keyPrefix = 't:',
): Hash => {
  const writes: TrieNodeWrite[] = []
  const run: TrieRun = { nodes: records, keyPrefix, writes, missing: [] }
  const before = loadRoot(run, root)
  if (before === MISSING) throw new Error('nothing is ever missing from a map')
  const after = updateTrie(run, before, sorted(entries))
  if (after === MISSING) throw new Error('nothing is ever missing from a map')
  records.write(writes)
  return rootHash(after)
}
