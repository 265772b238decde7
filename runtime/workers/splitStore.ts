import type { KeyValueStore } from '../../core/store/keyvalue/keyvalue.ts'
import { recentEntries, recentKey } from './recentValues.ts'

/** Values that never change and may be long: records of blocks, codes, sections of the log index. */
const IS_VALUE = /^(?:segment|c|logs):/

export type SplitStoreOptions = {
  /** Has conditional writes: the head, the state, and what is found by a hash. */
  readonly head: KeyValueStore
  /** Has values that never change. */
  readonly values: KeyValueStore
  /** Precedes the keys of `values`: those of another chain are other values. */
  readonly prefix: string
  /** Values may be seen some time after they were written. */
  readonly isLate: boolean
  readonly nowSeconds: () => number
}

type Value = Uint8Array | undefined

const readMany = async (kv: KeyValueStore, keys: readonly string[]): Promise<readonly Value[]> => {
  if (keys.length === 0) return []
  return (await kv.getMany?.(keys)) ?? Promise.all(keys.map(key => kv.get(key)))
}

const readValues = async (options: SplitStoreOptions, keys: readonly string[]): Promise<readonly Value[]> => {
  const { head, values, prefix, isLate } = options
  const found = await readMany(
    values,
    keys.map(key => prefix + key),
  )
  const late = keys.filter((_, index) => found[index] === undefined)
  if (!isLate || late.length === 0) return found
  const recent = await readMany(head, late.map(recentKey))
  let next = 0
  return found.map(value => value ?? recent[next++])
}

/** One store out of two: the long values that never change in one, everything else with the head in the other. */
export const createSplitStore = (options: SplitStoreOptions): KeyValueStore => {
  const { head, values, prefix, isLate, nowSeconds } = options
  const getMany = async (keys: readonly string[]): Promise<readonly Value[]> => {
    const [long, others] = [keys.filter(key => IS_VALUE.test(key)), keys.filter(key => !IS_VALUE.test(key))]
    const [longFound, othersFound] = await Promise.all([readValues(options, long), readMany(head, others)])
    const found = new Map<string, Value>()
    long.forEach((key, index) => found.set(key, longFound[index]))
    others.forEach((key, index) => found.set(key, othersFound[index]))
    return keys.map(key => found.get(key))
  }
  return {
    ...head,
    getSync: undefined,
    get: async key => (await getMany([key]))[0],
    getMany,
    forget: values.forget,
    close: async () => {
      await head.close()
      await values.close()
    },
    setIf:
      head.setIf &&
      (async (condition, entries) => {
        const long = entries.filter(({ key, value }) => IS_VALUE.test(key) && value !== undefined)
        const others = entries.filter(({ key }) => !IS_VALUE.test(key))
        // No reader needs them before the head names their block.
        await values.set(long.map(({ key, value }) => ({ key: prefix + key, value })))
        const recent = isLate ? await recentEntries(head, long, nowSeconds()) : []
        return (await head.setIf?.(condition, [...others, ...recent])) === true
      }),
  }
}
