import { compareBytes, type Hash } from '../../../core/bytes/bytes.ts'
import { EMPTY_TRIE_ROOT } from '../../../core/crypto/constants.ts'
import { loadRoot, MISSING, rootHash, type TrieRun } from '../../../core/trie/nodes/load.ts'
import type { TrieNodeReader, TrieNodeWrite } from '../../../core/trie/nodes/node.ts'
import { type TrieEntry, updateTrie } from '../../../core/trie/trie.ts'

export type Records = TrieNodeReader & {
  readonly map: Map<string, Uint8Array>
  write(nodes: readonly TrieNodeWrite[]): void
}

/** Records in memory, as a store has them. */
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
  const run: TrieRun = { nodes: records, keyPrefix, writes, missing: [], branches: 0 }
  const before = loadRoot(run, root)
  if (before === MISSING) throw new Error('nothing is ever missing from a map')
  const after = updateTrie(run, before, sorted(entries))
  if (after === MISSING) throw new Error('nothing is ever missing from a map')
  records.write(writes)
  return rootHash(after)
}

/** The root and the records of a fresh trie of that content. */
export const rebuilt = (
  content: ReadonlyMap<string, { readonly key: Uint8Array; readonly value: Uint8Array }>,
): { root: Hash; records: Records } => {
  const records = createRecords()
  return { root: updateStored(records, EMPTY_TRIE_ROOT, [...content.values()]), records }
}
