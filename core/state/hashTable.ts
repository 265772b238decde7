import type { Hash } from '../bytes/bytes.ts'
import { hashOf5 } from './hash.ts'
import { limbOf } from './limbs.ts'

/**
 * Integers by 32-byte hash, in flat arrays: a map with string keys would have one string per entry for the garbage
 * collector. Open addressing as in AccountTable; only the last entries can be removed.
 */
export type HashTable = {
  /** Undefined for an unknown hash. */
  get(hash: Hash): number | undefined
  set(hash: Hash, value: number): void
  readonly size: number
  /** Removes the entries after the first `size` ones. */
  truncate(size: number): void
  /** In order of insertion. */
  hashes(): Generator<Hash, void, void>
}

const HASH_BYTES = 32
const ENTRIES_FIRST = 16

/** Hashes five limbs with the seed, which suffices against chosen hashes that all collide. */
const placeIn = (index: Int32Array, bytes: Uint8Array, at: number): number =>
  hashOf5(
    limbOf(bytes, at),
    limbOf(bytes, at + 4),
    limbOf(bytes, at + 8),
    limbOf(bytes, at + 12),
    limbOf(bytes, at + 16),
  ) &
  (index.length - 1)

export const createHashTable = (): HashTable => {
  let keys = new Uint8Array(ENTRIES_FIRST * HASH_BYTES)
  let values = new Float64Array(ENTRIES_FIRST)
  /** Twice as many places as entries; a place has the entry's number, counted from one. */
  let index = new Int32Array(2 * ENTRIES_FIRST)
  let size = 0

  const isAt = (hash: Hash, at: number): boolean => {
    for (let i = 0; i < HASH_BYTES; i++) if (hash[i] !== keys[at + i]) return false
    return true
  }
  /** The entry of the hash, or -1 minus the place where it belongs. */
  const find = (hash: Hash): number => {
    let place = placeIn(index, hash, 0)
    for (;;) {
      const entry = (index[place] as number) - 1
      if (entry < 0) return -1 - place
      if (isAt(hash, entry * HASH_BYTES)) return entry
      place = (place + 1) & (index.length - 1)
    }
  }
  const grow = (): void => {
    const moreKeys = new Uint8Array(2 * keys.length)
    moreKeys.set(keys)
    keys = moreKeys
    const moreValues = new Float64Array(2 * values.length)
    moreValues.set(values)
    values = moreValues
    index = new Int32Array(2 * index.length)
    for (let entry = 0; entry < size; entry++) {
      let place = placeIn(index, keys, entry * HASH_BYTES)
      while (index[place] !== 0) place = (place + 1) & (index.length - 1)
      index[place] = entry + 1
    }
  }

  return {
    get: hash => {
      const entry = find(hash)
      return entry < 0 ? undefined : values[entry]
    },
    set: (hash, value) => {
      if (size === values.length) grow()
      const found = find(hash)
      if (found >= 0) {
        values[found] = value
        return
      }
      index[-1 - found] = ++size
      keys.set(hash, (size - 1) * HASH_BYTES)
      values[size - 1] = value
    },
    get size() {
      return size
    },
    truncate: kept => {
      // No remaining entry has passed the place of a later one.
      for (; size > kept; size--) {
        let place = placeIn(index, keys, (size - 1) * HASH_BYTES)
        while (index[place] !== size) place = (place + 1) & (index.length - 1)
        index[place] = 0
      }
    },
    *hashes() {
      for (let entry = 0; entry < size; entry++)
        yield keys.slice(entry * HASH_BYTES, (entry + 1) * HASH_BYTES)
    },
  }
}
