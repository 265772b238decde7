import { checkedValue } from '../../core/store/checksum.ts'
import type { KeyValueStore } from '../../core/store/keyvalue/keyvalue.ts'
import { inBatches } from '../drivers/inBatches.ts'
import { WORKER_CONNECTIONS_MAX } from '../drivers/cloudflare/values.ts'

/** The host of values in the cache. */
const CACHE_URL = 'https://values.quorate.internal/'

/** A value never changes, but without proofs (VERIFY = none or head) nobody finds out that a wrong one was repaired. */
const CACHE_HEADERS = { 'cache-control': 'public, max-age=86400, immutable' }

/** Memory of the values that one request has read and not put into the cache yet: an isolate has 128 MB. */
const KEPT_BYTES_MAX = 8 * 1024 * 1024

/** The methods of a cache of responses. */
export type ResponseCache = Pick<Cache, 'match' | 'put' | 'delete'>

/** The cache of the data centre; it is not part of the types that other runtimes have. */
export const dataCentreCache = (): ResponseCache | undefined =>
  (globalThis as { readonly caches?: { readonly default?: Cache } }).caches?.default

export type DataCentreCacheOptions = {
  readonly cache: ResponseCache
  /** Precedes the keys of the values: their checksums do not have it. */
  readonly prefix: string
}

/** The reads of one request through the cache. */
type State = DataCentreCacheOptions & {
  readonly values: KeyValueStore
  /** Values that are put into the cache when the request ends without a failed check. */
  readonly kept: Map<string, Uint8Array>
  keptBytes: number
  /** Keys whose values came from the cache. */
  readonly hits: Set<string>
  /** Reads past the cache: a value that was read has failed its check. */
  isPast: boolean
}

const addressOf = (key: string): string => CACHE_URL + encodeURIComponent(key)

const isWhole = ({ prefix }: State, key: string, value: Uint8Array): boolean =>
  checkedValue(key.slice(prefix.length), value) !== undefined

const readCached = async (state: State, key: string): Promise<Uint8Array | undefined> => {
  const address = addressOf(key)
  const found = await state.cache.match(address)
  if (found === undefined) return undefined
  const value = new Uint8Array(await found.arrayBuffer())
  if (isWhole(state, key, value)) {
    state.hits.add(key)
    return value
  }
  await state.cache.delete(address)
  return undefined
}

const read = async (state: State, key: string): Promise<Uint8Array | undefined> => {
  const { values, kept } = state
  if (state.isPast) return values.get(key)
  const cached = await readCached(state, key)
  if (cached !== undefined) return cached
  const value = await values.get(key)
  if (value === undefined || state.isPast || kept.has(key) || !isWhole(state, key, value)) return value
  if (state.keptBytes + value.length > KEPT_BYTES_MAX) return value
  kept.set(key, value)
  state.keptBytes += value.length
  return value
}

const forget = async (state: State): Promise<void> => {
  state.isPast = true
  state.kept.clear()
  const keys = [...state.hits]
  state.hits.clear()
  await inBatches(keys, WORKER_CONNECTIONS_MAX, key => state.cache.delete(addressOf(key)))
}

const close = async (state: State): Promise<void> => {
  const { cache, kept, values } = state
  const entries = [...kept]
  kept.clear()
  await inBatches(entries, WORKER_CONNECTIONS_MAX, ([key, value]) =>
    cache.put(addressOf(key), new Response(new Uint8Array(value), { headers: CACHE_HEADERS })),
  )
  await values.close()
}

/**
 * Values that never change, for one request, behind the cache of the data centre. What it reads is put into the cache when the
 * request ends and no check has failed meanwhile; a failed one deletes what came from the cache.
 */
export const withDataCentreCache = (
  values: KeyValueStore,
  options: DataCentreCacheOptions,
): KeyValueStore => {
  const state: State = {
    ...options,
    values,
    kept: new Map(),
    keptBytes: 0,
    hits: new Set(),
    isPast: false,
  }
  const get = (key: string): Promise<Uint8Array | undefined> => read(state, key)
  return {
    ...values,
    get,
    getMany: keys => inBatches(keys, WORKER_CONNECTIONS_MAX, get),
    forget: () => forget(state),
    close: () => close(state),
  }
}
