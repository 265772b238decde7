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
 * A set of the newest 32-byte hashes: at most `most`, at least half of that. The older half is evicted in one step; until
 * then deleted hashes count.
 */
export const createRecentHashes = (most: number): RecentHashes => {
  const half = Math.ceil(most / 2)
  let newer = createHashTable()
  let older = createHashTable()
  const has = (hash: Hash): boolean => (newer.get(hash) ?? older.get(hash)) === PRESENT
  return {
    has,
    add: hash => {
      if (has(hash)) return false
      if (newer.size >= half) {
        older = newer
        newer = createHashTable()
      }
      newer.set(hash, PRESENT)
      return true
    },
    delete: hash => {
      if (newer.get(hash) !== undefined) newer.set(hash, DELETED)
      if (older.get(hash) !== undefined) older.set(hash, DELETED)
    },
  }
}
