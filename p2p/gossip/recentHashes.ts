import type { Hash } from '../../core/bytes/bytes.ts'
import { createHashTable } from '../../core/state/hashTable.ts'

export type RecentHashes = {
  has(hash: Hash): boolean
  /** Returns false when the set had it already. */
  add(hash: Hash): boolean
  delete(hash: Hash): void
}

const GONE = 0
const THERE = 1

/**
 * A set of the 32-byte hashes added last: at most `most`, at least half of that. The older half is evicted at once; deleted
 * hashes count until then.
 */
export const createRecentHashes = (most: number): RecentHashes => {
  const half = Math.ceil(most / 2)
  let young = createHashTable()
  let old = createHashTable()
  const has = (hash: Hash): boolean => (young.get(hash) ?? old.get(hash)) === THERE
  return {
    has,
    add: hash => {
      if (has(hash)) return false
      if (young.size >= half) {
        old = young
        young = createHashTable()
      }
      young.set(hash, THERE)
      return true
    },
    delete: hash => {
      if (young.get(hash) !== undefined) young.set(hash, GONE)
      if (old.get(hash) !== undefined) old.set(hash, GONE)
    },
  }
}
