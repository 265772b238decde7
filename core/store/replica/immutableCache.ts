import { createCache } from '../cache.ts'
import { checkedValue } from '../checksum.ts'
import type { KeyValueStore } from '../keyvalue/keyvalue.ts'

/** Keys of a replica whose values never change once they are stored. */
const IMMUTABLE = /^(?:segment|header|c|cl|cp|h|b|t|logs):/

export type ImmutableCacheOptions = {
  /** Most memory of the cached values. */
  readonly bytesMax: number
}

/** A store behind a cache. */
export type CachedStore = KeyValueStore & {
  /** Empties the cache, and those below it: their values may be forged, with right checksums. */
  readonly forget: () => Promise<void>
}

/**
 * Caches the values of a store that never change. Damaged values are not cached, nor is the absence of a value, which may
 * be written later.
 */
export const withImmutableCache = (kv: KeyValueStore, { bytesMax }: ImmutableCacheOptions): CachedStore => {
  const cache = createCache<Uint8Array>(bytesMax, value => value.length)
  const keep = (key: string, value: Uint8Array | undefined): Uint8Array | undefined => {
    if (value !== undefined && IMMUTABLE.test(key) && checkedValue(key, value) !== undefined)
      cache.set(key, value)
    return value
  }
  const { getMany } = kv
  return {
    ...kv,
    getSync: undefined,
    forget: async () => {
      cache.clear()
      await kv.forget?.()
    },
    get: async key => cache.get(key) ?? keep(key, await kv.get(key)),
    getMany:
      getMany &&
      (async keys => {
        const known = keys.map(key => cache.get(key))
        const missing = keys.filter((_, index) => known[index] === undefined)
        if (missing.length === 0) return known
        const values = await getMany(missing)
        let next = 0
        return known.map((value, index) => value ?? keep(keys[index] as string, values[next++]))
      }),
  }
}
