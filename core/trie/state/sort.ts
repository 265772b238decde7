import { compareBytes } from '../../bytes/bytes.ts'
import type { Steps } from '../../steps.ts'
import { SLICE_ENTRIES } from './slices.ts'
import type { TrieEntry } from '../trie.ts'

const sortInPlace = (entries: TrieEntry[]): TrieEntry[] => entries.sort((a, b) => compareBytes(a.key, b.key))

/**
 * Sorts the entries by key. Keys are hashes, so their first bytes are evenly distributed, and the entries of each first
 * byte are sorted separately. Yields after SLICE_ENTRIES entries or more.
 */
export function* sortSteps(entries: TrieEntry[]): Steps<readonly TrieEntry[]> {
  if (entries.length <= SLICE_ENTRIES) return sortInPlace(entries)
  const byFirstByte: TrieEntry[][] = Array.from({ length: 256 }, () => [])
  for (const entry of entries) byFirstByte[entry.key[0] ?? 0]?.push(entry)
  const sorted: TrieEntry[] = []
  let sortedAtYield = 0
  for (const some of byFirstByte) {
    for (const entry of sortInPlace(some)) sorted.push(entry)
    if (sorted.length - sortedAtYield < SLICE_ENTRIES) continue
    sortedAtYield = sorted.length
    yield
  }
  return sorted
}
