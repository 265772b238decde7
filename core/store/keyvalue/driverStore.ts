import type { Driver } from 'unstorage'
import type { EntryCondition } from './condition.ts'
import type { KeyValueEntry, KeyValueStore } from './keyvalue.ts'

/**
 * Optional functions that a driver may have in addition to unstorage's interface, as runtime/drivers/sqlite.ts does. Values
 * are raw bytes.
 */
export type DriverExtensions = {
  getItemRawSync?(key: string): Uint8Array | undefined
  /** The value of each key, in their order, in one round trip. */
  getEntries?(keys: readonly string[]): Promise<readonly (Uint8Array | undefined)[]>
  /** Writes or removes all entries, in one transaction. */
  setEntries?(entries: readonly KeyValueEntry[]): void | Promise<void>
  /** Resolves when the entry is durable. */
  setDurably?(entry: KeyValueEntry): void | Promise<void>
  /** Resolves when all entries are durable, written in one transaction. */
  setAllDurably?(entries: readonly KeyValueEntry[]): void | Promise<void>
  /** As KeyValueStore.setIf. */
  setEntriesIf?(condition: EntryCondition, entries: readonly KeyValueEntry[]): Promise<boolean>
  /** Resolves when everything written before is durable. */
  sync?(): void | Promise<void>
  /** As KeyValueStore.recover. */
  recover?(): Promise<void>
}

/** Parallel writes to a driver that writes one entry per call. */
const WRITES_AT_ONCE = 32

/** Does not yield; for drivers whose own calls yield, and for tests. */
const noPause = (): Promise<void> => Promise.resolve()

const OPTIONS = {}

/**
 * The prefix that unstorage uses for bytes in drivers that only store strings. It also keeps drivers from parsing the value
 * as a number.
 */
const BASE64_PREFIX = 'base64:'

const toBase64 = (bytes: Uint8Array): string => {
  let text = ''
  // The number of arguments of one call is limited.
  for (let at = 0; at < bytes.length; at += 8192)
    text += String.fromCharCode(...bytes.subarray(at, at + 8192))
  return BASE64_PREFIX + btoa(text)
}

const fromBase64 = (text: string): Uint8Array =>
  Uint8Array.from(atob(text.slice(BASE64_PREFIX.length)), character => character.charCodeAt(0))

const bytesOf = (name: string, key: string, value: unknown): Uint8Array | undefined => {
  if (value === undefined || value === null) return undefined
  // A Buffer has its own `slice`, so it is converted to a plain Uint8Array.
  if (value instanceof Uint8Array)
    return value.constructor === Uint8Array
      ? value
      : new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
  if (value instanceof ArrayBuffer) return new Uint8Array(value)
  if (typeof value === 'string' && value.startsWith(BASE64_PREFIX)) return fromBase64(value)
  // Some drivers resolve with the error of a failed read instead of rejecting with it.
  throw new DriverError(name, `the value of ${key} is not bytes`, value)
}

/**
 * A key-value store over any unstorage driver: stores raw bytes if the driver supports them, base64 if it only stores
 * strings.
 * @param durability durability of the driver's writes, which unstorage does not report
 */
export const keyValueOfDriver = (
  driver: Driver & DriverExtensions,
  durability: KeyValueStore['durability'],
  pause: () => Promise<void> = noPause,
): KeyValueStore => {
  const name = driver.name ?? 'unnamed'
  const raw = driver.getItemRaw !== undefined && driver.setItemRaw !== undefined
  if (!raw && driver.setItem === undefined) throw new DriverError(name, 'it is read-only', undefined)

  const write = async ({ key, value }: KeyValueEntry): Promise<void> => {
    if (value === undefined) await driver.removeItem?.(key, OPTIONS)
    else if (raw) await driver.setItemRaw?.(key, value, OPTIONS)
    else await driver.setItem?.(key, toBase64(value), OPTIONS)
  }
  const set = async (entries: readonly KeyValueEntry[]): Promise<void> => {
    if (driver.setEntries !== undefined) {
      await driver.setEntries(entries)
      return
    }
    for (let at = 0; at < entries.length; at += WRITES_AT_ONCE)
      await Promise.all(entries.slice(at, at + WRITES_AT_ONCE).map(write))
  }
  const setAllDurably = driver.setAllDurably?.bind(driver)
  const getItemRawSync = driver.getItemRawSync?.bind(driver)
  const getEntries = driver.getEntries?.bind(driver)
  const setEntriesIf = driver.setEntriesIf?.bind(driver)

  return {
    durability,
    getSync: getItemRawSync,
    get: async key => {
      if (getItemRawSync !== undefined) return getItemRawSync(key)
      const value: unknown = raw ? await driver.getItemRaw?.(key, OPTIONS) : await driver.getItem(key)
      return bytesOf(name, key, value)
    },
    getMany:
      getEntries &&
      (async keys => {
        const values = await getEntries(keys)
        return values.map((value, index) => bytesOf(name, keys[index] as string, value))
      }),
    set,
    setIf: setEntriesIf,
    setDurably: async entry => {
      if (driver.setDurably !== undefined) await driver.setDurably(entry)
      else {
        await set([entry])
        await driver.sync?.()
      }
    },
    setAllDurably: setAllDurably && (async entries => setAllDurably(entries)),
    sync: async () => {
      await driver.sync?.()
    },
    recover: driver.recover?.bind(driver),
    pause,
    close: async () => {
      await driver.dispose?.()
    },
  }
}

/** A driver returned an unexpected result. */
export class DriverError extends Error {
  override readonly name = 'DriverError'
  readonly code = 'DRIVER_ERROR'
  constructor(driver: string, what: string, cause: unknown) {
    const reason = cause instanceof Error ? `: ${cause.message}` : ''
    super(`storage driver ${driver}: ${what}${reason}`, { cause })
  }
}
