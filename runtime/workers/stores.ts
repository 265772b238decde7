import { keyValueOfDriver } from '../../core/store/driverStore.ts'
import type { KeyValueStore } from '../../core/store/keyvalue.ts'
import { postgresqlDriver } from '../drivers/postgresql.ts'
import { openSqlPool } from '../drivers/postgresqlClient.ts'
import type { ChainObjectStub, Environment, ExecutionContext, ValueBucket } from './environment.ts'

/** Values that never change and may be long: records of blocks, codes, sections of the log index. */
const IN_BUCKET = /^(?:segment|c|logs):/

/** Name of the Durable Object, and the host of its values in the cache. */
const CHAIN = 'chain'
const CACHE_URL = 'https://values.quorate.internal/'

/** Cloudflare's copy of a value: it never changes. */
const CACHE_HEADERS = { 'cache-control': 'public, max-age=31536000, immutable' }

const BUCKET_REQUESTS_AT_ONCE = 6

/** The cache of the data centre; it is not part of the types that other runtimes have. */
const dataCentreCache = (): Cache | undefined =>
  (globalThis as { readonly caches?: { readonly default?: Cache } }).caches?.default

const readBucket = async (
  bucket: ValueBucket,
  key: string,
  context: ExecutionContext,
): Promise<Uint8Array | undefined> => {
  const cache = dataCentreCache()
  const address = CACHE_URL + encodeURIComponent(key)
  const cached = await cache?.match(address)
  if (cached !== undefined) return new Uint8Array(await cached.arrayBuffer())
  const found = await bucket.get(key)
  if (found === null) return undefined
  const value = new Uint8Array(await found.arrayBuffer())
  if (cache !== undefined)
    context.waitUntil(cache.put(address, new Response(value, { headers: CACHE_HEADERS })))
  return value
}

const inSteps = async <Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> => {
  const results: Result[] = []
  for (let at = 0; at < items.length; at += BUCKET_REQUESTS_AT_ONCE)
    results.push(...(await Promise.all(items.slice(at, at + BUCKET_REQUESTS_AT_ONCE).map(work))))
  return results
}

const unavailable = (): Promise<never> =>
  Promise.reject(new Error('the store of a Worker takes conditional writes only'))

/**
 * The store of a Durable Object, with the long values that never change in a bucket behind the cache of the data centre.
 * Belongs to one request: a binding of another one must not be used.
 */
const objectStore = (
  object: ChainObjectStub,
  bucket: ValueBucket | undefined,
  context: ExecutionContext,
): KeyValueStore => {
  const isInBucket = (key: string): boolean => bucket !== undefined && IN_BUCKET.test(key)
  const getMany = async (keys: readonly string[]): Promise<(Uint8Array | undefined)[]> => {
    const found = new Map<string, Uint8Array | undefined>()
    const [inBucket, inObject] = [keys.filter(isInBucket), keys.filter(key => !isInBucket(key))]
    const [values, others] = await Promise.all([
      inSteps(inBucket, key => readBucket(bucket as ValueBucket, key, context)),
      inObject.length === 0 ? [] : object.read(inObject),
    ])
    inBucket.forEach((key, index) => found.set(key, values[index]))
    inObject.forEach((key, index) => found.set(key, others[index] ?? undefined))
    return keys.map(key => found.get(key))
  }
  return {
    durability: 'synced',
    getSync: undefined,
    get: async key => (await getMany([key]))[0],
    getMany,
    set: unavailable,
    setDurably: unavailable,
    setIf: async ({ key, value }, entries) => {
      const long = entries.filter(entry => isInBucket(entry.key))
      // Nobody reads them before the head names their block.
      await inSteps(long, entry => (bucket as ValueBucket).put(entry.key, entry.value ?? new Uint8Array(0)))
      return object.write({ key, value, entries: entries.filter(entry => !isInBucket(entry.key)) })
    },
    sync: () => Promise.resolve(),
    pause: () => Promise.resolve(),
    close: () => Promise.resolve(),
  }
}

/** The store of a deployment, for one request. @throws Error where none is bound */
export const storeOf = async (env: Environment, context: ExecutionContext): Promise<KeyValueStore> => {
  if (env.HYPERDRIVE !== undefined) {
    const pool = await openSqlPool({ url: env.HYPERDRIVE.connectionString, connectionsMax: 1 })
    return keyValueOfDriver(postgresqlDriver(pool), 'synced')
  }
  if (env.CHAIN === undefined)
    throw new Error('no store is bound: give CHAIN (a Durable Object) or HYPERDRIVE in wrangler.toml')
  return objectStore(env.CHAIN.get(env.CHAIN.idFromName(CHAIN)), env.VALUES, context)
}
