import { toHex } from '../../core/bytes/hex.ts'
import { keyValueOfDriver } from '../../core/store/keyvalue/driverStore.ts'
import type { KeyValueStore } from '../../core/store/keyvalue/keyvalue.ts'
import { d1Driver } from '../drivers/cloudflare/d1.ts'
import { durableObjectDriver } from '../drivers/cloudflare/durableObject.ts'
import { inBatches } from '../drivers/inBatches.ts'
import { r2Driver, WORKER_CONNECTIONS_MAX, workersKvDriver } from '../drivers/cloudflare/values.ts'
import type { OpenStore } from './createWorker.ts'
import type { WorkerEnvironment, ExecutionContext } from './environment.ts'
import { SettingsError } from './settings.ts'
import { createSplitStore } from './splitStore.ts'

/** Name of the Durable Object, and the host of its values in the cache. */
const CHAIN = 'chain'
const CACHE_URL = 'https://values.quorate.internal/'

/** Cloudflare's copy of a value: it never changes. */
const CACHE_HEADERS = { 'cache-control': 'public, max-age=31536000, immutable' }

/** The cache of the data centre; it is not part of the types that other runtimes have. */
const dataCentreCache = (): Cache | undefined =>
  (globalThis as { readonly caches?: { readonly default?: Cache } }).caches?.default

/** Keeps values that never change in the cache of the data centre. */
const withDataCentreCache = (values: KeyValueStore, context: ExecutionContext): KeyValueStore => {
  const cache = dataCentreCache()
  if (cache === undefined) return values
  const get = async (key: string): Promise<Uint8Array | undefined> => {
    const address = CACHE_URL + encodeURIComponent(key)
    const cached = await cache.match(address)
    if (cached !== undefined) return new Uint8Array(await cached.arrayBuffer())
    const value = await values.get(key)
    if (value !== undefined)
      context.waitUntil(cache.put(address, new Response(new Uint8Array(value), { headers: CACHE_HEADERS })))
    return value
  }
  return { ...values, get, getMany: keys => inBatches(keys, WORKER_CONNECTIONS_MAX, get) }
}

/** Bindings of a deployment that cannot work together. */
const requireBindings = ({
  CHAIN: object,
  DATABASE,
  HYPERDRIVE,
  VALUES,
  VALUES_KV,
}: WorkerEnvironment): void => {
  if (HYPERDRIVE !== undefined)
    throw new SettingsError('HYPERDRIVE', 'PostgreSQL needs main = "runtime/workers/postgresql.ts"')
  const heads = [object, DATABASE].filter(bound => bound !== undefined).length
  const values = [VALUES, VALUES_KV].filter(bound => bound !== undefined).length
  if (heads === 0)
    throw new SettingsError(
      'CHAIN',
      values === 0
        ? 'no store is bound: bind CHAIN (a Durable Object) or DATABASE (D1)'
        : 'R2 and KV hold only values that never change, and so not the head: bind CHAIN (a Durable Object) or DATABASE (D1) as well',
    )
  if (heads > 1)
    throw new SettingsError('CHAIN', 'the head is kept in one store: bind one of CHAIN and DATABASE')
  if (values > 1)
    throw new SettingsError(
      'VALUES',
      'values are kept in one store: bind one of VALUES (R2) and VALUES_KV (KV)',
    )
}

/** The store of a deployment: its head and state in a Durable Object or D1, long values that never change in R2 or KV. */
export const storeOf: OpenStore = async (env, genesisHash, context) => {
  requireBindings(env)
  const { CHAIN: object, DATABASE, VALUES, VALUES_KV } = env
  const driver =
    object === undefined
      ? DATABASE && d1Driver(DATABASE)
      : durableObjectDriver(object.get(object.idFromName(CHAIN)))
  if (driver === undefined) throw new SettingsError('CHAIN', 'no store is bound')
  const head = keyValueOfDriver(driver, 'synced')
  const valueDriver = VALUES === undefined ? VALUES_KV && workersKvDriver(VALUES_KV) : r2Driver(VALUES)
  if (valueDriver === undefined) return head
  return createSplitStore({
    head,
    values: withDataCentreCache(keyValueOfDriver(valueDriver, 'synced'), context),
    prefix: `${toHex(genesisHash).slice(2, 18)}/`,
    isLate: VALUES_KV !== undefined,
    nowSeconds: () => Math.floor(Date.now() / 1000),
  })
}
