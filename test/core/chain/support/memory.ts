import type { KeyValueStore } from '../../../../core/store/keyvalue/keyvalue.ts'

/** A key-value store in memory; an `asynchronous` one cannot be read synchronously, as on the edge. */
export const memoryStore = ({ asynchronous = false } = {}): KeyValueStore => {
  const values = new Map<string, Uint8Array>()
  const put = ({ key, value }: { readonly key: string; readonly value: Uint8Array | undefined }): void => {
    if (value === undefined) values.delete(key)
    else values.set(key, value)
  }
  return {
    durability: 'none',
    getSync: asynchronous ? undefined : key => values.get(key),
    get: key => Promise.resolve(values.get(key)),
    set: entries => {
      entries.forEach(put)
      return Promise.resolve()
    },
    setDurably: entry => {
      put(entry)
      return Promise.resolve()
    },
    sync: () => Promise.resolve(),
    pause: () => Promise.resolve(),
    close: () => Promise.resolve(),
  }
}
