import type { Hash } from '../core/bytes/bytes.ts'
import { createHashTable } from '../core/state/hashTable.ts'

export type RecentHashes = {
  has(hash: Hash): boolean
  /** False when it was there already. */
  add(hash: Hash): boolean
  delete(hash: Hash): void
}

const GONE = 0
const THERE = 1

/**
 * The last 32-byte hashes that were added, `most` at most and half of that at least: the older half is forgotten at once,
 * and what was deleted counts until then.
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
