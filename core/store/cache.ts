/** Memory per entry besides its value: map slot, key and object headers. */
const ENTRY_OVERHEAD_BYTES = 160

/** A bounded cache of recently used entries. */
export type Cache<Value> = {
  /** Undefined when the key is not cached. */
  get(key: string): Value | undefined
  set(key: string, value: Value): void
  delete(key: string): void
  clear(): void
  readonly bytes: number
}

/**
 * Two generations instead of a linked list: entries that are used move to the young one. When it holds half of `bytesMax`,
 * it becomes the old one, and the previous old one is dropped. A hit costs one lookup.
 */
export const createCache = <Value>(bytesMax: number, sizeOf: (value: Value) => number): Cache<Value> => {
  let young = new Map<string, Value>()
  let old = new Map<string, Value>()
  let youngBytes = 0
  let oldBytes = 0
  const cost = (key: string, value: Value): number => ENTRY_OVERHEAD_BYTES + key.length + sizeOf(value)
  const add = (key: string, value: Value): void => {
    const before = young.get(key)
    if (before !== undefined) youngBytes -= cost(key, before)
    young.set(key, value)
    youngBytes += cost(key, value)
    if (youngBytes <= bytesMax / 2) return
    old = young
    oldBytes = youngBytes
    young = new Map()
    youngBytes = 0
  }
  const dropOld = (key: string): void => {
    const value = old.get(key)
    if (value === undefined) return
    old.delete(key)
    oldBytes -= cost(key, value)
  }
  return {
    get: key => {
      const value = young.get(key)
      if (value !== undefined) return value
      const aged = old.get(key)
      if (aged === undefined) return undefined
      dropOld(key)
      add(key, aged)
      return aged
    },
    set: (key, value) => {
      dropOld(key)
      add(key, value)
    },
    delete: key => {
      dropOld(key)
      const value = young.get(key)
      if (value === undefined) return
      young.delete(key)
      youngBytes -= cost(key, value)
    },
    clear: () => {
      young = new Map()
      old = new Map()
      youngBytes = 0
      oldBytes = 0
    },
    get bytes() {
      return youngBytes + oldBytes
    },
  }
}
