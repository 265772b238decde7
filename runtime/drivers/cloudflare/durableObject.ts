import { type Driver, defineDriver } from 'unstorage'
import { DriverError, type DriverExtensions } from '../../../core/store/keyvalue/driverStore.ts'
import type { ChainObjectStub } from './bindings.ts'

const refuseWrite = (): never => {
  throw new DriverError('durable-object', 'it takes conditional writes only', undefined)
}

/**
 * unstorage driver over the Durable Object of a chain (runtime/workers/chainObject.ts): raw bytes, batches, and conditional
 * batches in one round trip. Transactional; one object is one writer for the whole chain.
 */
export const durableObjectDriver = defineDriver(
  (object: ChainObjectStub): Driver<ChainObjectStub> & DriverExtensions => {
    const get = async (key: string): Promise<Uint8Array | null> => (await object.read([key]))[0] ?? null
    return {
      name: 'durable-object',
      hasItem: async key => (await get(key)) !== null,
      getItem: async key => {
        const value = await get(key)
        return value === null ? null : new TextDecoder().decode(value)
      },
      getItemRaw: get,
      setItem: refuseWrite,
      setItemRaw: refuseWrite,
      getKeys: () => [],
      getEntries: async keys =>
        keys.length === 0 ? [] : (await object.read(keys)).map(value => value ?? undefined),
      setEntries: refuseWrite,
      setEntriesIf: ({ key, value }, entries) => object.write({ key, value, entries }),
    }
  },
)
