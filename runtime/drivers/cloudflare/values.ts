import { type Driver, defineDriver } from 'unstorage'
import { DriverError, type DriverExtensions } from '../../../core/store/keyvalue/driverStore.ts'
import type { KeyValueEntry } from '../../../core/store/keyvalue/keyvalue.ts'
import type { ValueBucket, ValueNamespace } from './bindings.ts'
import { inBatches } from '../inBatches.ts'

/** Connections that a Worker may have open at once. */
export const WORKER_CONNECTIONS_MAX = 6

/** Longest value that a node writes through a Worker: an object may have gigabytes, and an isolate has 128 MB. */
const BUCKET_VALUE_BYTES_MAX = 32 * 1024 * 1024

/** Longest value of Workers KV. */
const KV_VALUE_BYTES_MAX = 25 * 1024 * 1024

type Get = (key: string) => Promise<Uint8Array | undefined>
type Put = (key: string, value: Uint8Array) => Promise<void>

/** A driver for values that never change: none is removed, and there is no conditional write. */
const valueDriver = (name: string, get: Get, put: Put): Driver & DriverExtensions => {
  const write = ({ key, value }: KeyValueEntry): Promise<void> => {
    if (value === undefined) throw new DriverError(name, `${key} never changes and is not removed`, undefined)
    return put(key, value)
  }
  return {
    name,
    hasItem: async key => (await get(key)) !== undefined,
    getItem: async key => {
      const value = await get(key)
      return value === undefined ? null : new TextDecoder().decode(value)
    },
    getItemRaw: async key => (await get(key)) ?? null,
    setItem: (key, value) => put(key, new TextEncoder().encode(value)),
    setItemRaw: (key, value: Uint8Array) => put(key, value),
    getKeys: () => [],
    getEntries: keys => inBatches(keys, WORKER_CONNECTIONS_MAX, get),
    setEntries: async entries => void (await inBatches(entries, WORKER_CONNECTIONS_MAX, write)),
  }
}

/** unstorage driver over an R2 bucket, by its binding: raw bytes, one object a value. A value is seen once it is written. */
export const r2Driver = defineDriver((bucket: ValueBucket) =>
  valueDriver(
    'r2',
    async key => {
      const found = await bucket.get(key)
      if (found !== null && found.size > BUCKET_VALUE_BYTES_MAX)
        throw new DriverError(
          'r2',
          `the object ${key} has ${found.size} bytes, and no value has more than ${BUCKET_VALUE_BYTES_MAX}`,
          undefined,
        )
      return found === null ? undefined : new Uint8Array(await found.arrayBuffer())
    },
    async (key, value) => void (await bucket.put(key, value)),
  ),
)

/**
 * unstorage driver over Workers KV, by its binding: raw bytes, one value a call. A value may be seen a minute after it was
 * written, so that it carries no head and nothing that changes.
 */
export const workersKvDriver = defineDriver((namespace: ValueNamespace) =>
  valueDriver(
    'workers-kv',
    async key => {
      const found = await namespace.get(key, 'arrayBuffer')
      return found === null ? undefined : new Uint8Array(found)
    },
    async (key, value) => {
      if (value.length > KV_VALUE_BYTES_MAX)
        throw new DriverError(
          'workers-kv',
          `the value of ${key} has ${value.length} bytes, and KV takes ${KV_VALUE_BYTES_MAX}: bind an R2 bucket as VALUES instead`,
          undefined,
        )
      await namespace.put(key, value)
    },
  ),
)
