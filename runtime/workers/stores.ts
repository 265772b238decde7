import { toHex } from '../../core/bytes/hex.ts'
import { keyValueOfDriver } from '../../core/store/keyvalue/driverStore.ts'
import { d1Driver } from '../drivers/cloudflare/d1.ts'
import { durableObjectDriver } from '../drivers/cloudflare/durableObject.ts'
import { r2Driver, workersKvDriver } from '../drivers/cloudflare/values.ts'
import type { OpenStore } from './createWorker.ts'
import { dataCentreCache, withDataCentreCache } from './dataCentreCache.ts'
import type { WorkerEnvironment } from './environment.ts'
import { SettingsError } from './settings.ts'
import { createSplitStore } from './splitStore.ts'

/** Name of the Durable Object. */
const CHAIN = 'chain'

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
export const storeOf: OpenStore = async (env, genesisHash) => {
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
  const values = keyValueOfDriver(valueDriver, 'synced')
  const prefix = `${toHex(genesisHash).slice(2, 18)}/`
  const cache = dataCentreCache()
  return createSplitStore({
    head,
    values: cache === undefined ? values : withDataCentreCache(values, { cache, prefix }),
    prefix,
    isLate: VALUES_KV !== undefined,
    nowSeconds: () => Math.floor(Date.now() / 1000),
  })
}
