import type { Hash } from '../../core/bytes/bytes.ts'
import { createHashTable } from '../../core/state/hashTable.ts'

export type RecentHashes = {
  has(hash: Hash): boolean
  /** Returns false if the set has the hash already. */
  add(hash: Hash): boolean
  delete(hash: Hash): void
}

const DELETED = 0
const PRESENT = 1

/**
 * A set of the newest 32-byte hashes: at most `most`, at least half of that. The older half is evicted in one step; until then
 * deleted hashes count.
 */
export const createRecentHashes = (most: number): RecentHashes => {
  const half = Math.ceil(most / 2)
  let young = createHashTable()
  let old = createHashTable()
  const has = (hash: Hash): boolean => (young.get(hash) ?? old.get(hash)) === PRESENT
  return {
    has,
    add: hash => {
      if (has(hash)) return false
      if (young.size >= half) {
        old = young
        young = createHashTable()
      }
      young.set(hash, PRESENT)
      return true
    },
    delete: hash => {
      if (young.get(hash) !== undefined) young.set(hash, DELETED)
      if (old.get(hash) !== undefined) old.set(hash, DELETED)
    },
  }
}
