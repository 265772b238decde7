import { type Driver, defineDriver } from 'unstorage'
import type { EntryCondition } from '../../../core/store/keyvalue/condition.ts'
import { DriverError, type DriverExtensions } from '../../../core/store/keyvalue/driverStore.ts'
import type { KeyValueEntry } from '../../../core/store/keyvalue/keyvalue.ts'
import type { Database, DatabaseResult, DatabaseStatement } from './bindings.ts'

/** Longest row of D1, and longest value that one statement binds. */
const ROW_BYTES_MAX = 2_000_000
/** Characters of one list of entries: several entries of a few kilobytes, or one long one. */
const LIST_LENGTH_MAX = 1_000_000
/** Keys of one statement. */
const KEYS_AT_ONCE = 1_000

/** Bytes are stored as base64: D1 sends a BLOB as a list of decimal numbers, which is three times as long. */
const CREATE_ENTRY =
  'CREATE TABLE IF NOT EXISTS entry (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID'
/** Has a row while the condition of the write in progress holds. */
const CREATE_HELD = 'CREATE TABLE IF NOT EXISTS held (one INTEGER PRIMARY KEY)'
const RELEASE = 'DELETE FROM held'
const HOLD = 'INSERT INTO held (one) SELECT 1 WHERE (SELECT value FROM entry WHERE key = ?) IS ?'
const IF_HELD = 'EXISTS (SELECT 1 FROM held)'
const GET = 'SELECT key, value FROM entry WHERE key IN (SELECT value FROM json_each(?))'
const LIST = 'SELECT key FROM entry WHERE substr(key, 1, length(?1)) = ?1'
const set = (condition: string): string =>
  "INSERT INTO entry (key, value) SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM json_each(?) " +
  `WHERE ${condition} ON CONFLICT (key) DO UPDATE SET value = excluded.value`
const remove = (condition: string): string =>
  `DELETE FROM entry WHERE key IN (SELECT value FROM json_each(?)) AND ${condition}`

const encode = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')

const decode = (text: unknown): Uint8Array => new Uint8Array(Buffer.from(String(text), 'base64'))

/** @throws DriverError for a value that no row takes */
const encodeEntry = (key: string, value: Uint8Array): string => {
  const text = JSON.stringify([key, encode(value)])
  if (text.length > ROW_BYTES_MAX)
    throw new DriverError(
      'd1',
      `the value of ${key} has ${value.length} bytes, and a row takes about ${(ROW_BYTES_MAX * 3) / 4}: bind VALUES or VALUES_KV for such values`,
      undefined,
    )
  return text
}

/** The statements that write the entries where the condition holds. */
const statementsOf = (
  database: Database,
  entries: readonly KeyValueEntry[],
  condition: string,
): DatabaseStatement[] => {
  const last = new Map(entries.map(({ key, value }) => [key, value]))
  const statements: DatabaseStatement[] = []
  const removed: string[] = []
  let list: string[] = []
  let length = 0
  const flush = (): void => {
    if (list.length > 0) statements.push(database.prepare(set(condition)).bind(`[${list.join(',')}]`))
    list = []
    length = 0
  }
  for (const [key, value] of last) {
    if (value === undefined) {
      removed.push(key)
      continue
    }
    const text = encodeEntry(key, value)
    if (length + text.length > LIST_LENGTH_MAX) flush()
    list.push(text)
    length += text.length
  }
  flush()
  for (let at = 0; at < removed.length; at += KEYS_AT_ONCE)
    statements.push(
      database.prepare(remove(condition)).bind(JSON.stringify(removed.slice(at, at + KEYS_AT_ONCE))),
    )
  return statements
}

/** A new database has no table until the first write. */
const rowsOf = async (
  database: Database,
  statements: readonly DatabaseStatement[],
): Promise<readonly DatabaseResult[]> => {
  try {
    return await database.batch(statements)
  } catch (error) {
    if (error instanceof Error && error.message.includes('no such table: entry')) return []
    throw error
  }
}

const getEntries = async (
  database: Database,
  keys: readonly string[],
): Promise<(Uint8Array | undefined)[]> => {
  const statements: DatabaseStatement[] = []
  for (let at = 0; at < keys.length; at += KEYS_AT_ONCE)
    statements.push(database.prepare(GET).bind(JSON.stringify(keys.slice(at, at + KEYS_AT_ONCE))))
  if (statements.length === 0) return []
  const found = new Map<unknown, Uint8Array>()
  for (const { results } of await rowsOf(database, statements))
    for (const row of results) found.set(row['key'], decode(row['value']))
  return keys.map(key => found.get(key))
}

const setEntries = async (database: Database, entries: readonly KeyValueEntry[]): Promise<void> => {
  await database.batch([database.prepare(CREATE_ENTRY), ...statementsOf(database, entries, 'true')])
}

const setEntriesIf = async (
  database: Database,
  { key, value }: EntryCondition,
  entries: readonly KeyValueEntry[],
): Promise<boolean> => {
  const [, , , held] = await database.batch([
    database.prepare(CREATE_ENTRY),
    database.prepare(CREATE_HELD),
    database.prepare(RELEASE),
    database.prepare(HOLD).bind(key, value === undefined ? null : encode(value)),
    ...statementsOf(database, entries, IF_HELD),
  ])
  return held?.meta.changes === 1
}

/**
 * unstorage driver over Cloudflare D1, by its binding: raw bytes, a batch in one transaction, a conditional batch in one round
 * trip. Transactional, for small chains: a database takes 10 GB, a row 2 MB.
 */
export const d1Driver = defineDriver((database: Database): Driver<Database> & DriverExtensions => {
  const get = async (key: string): Promise<Uint8Array | null> =>
    (await getEntries(database, [key]))[0] ?? null
  return {
    name: 'd1',
    hasItem: async key => (await get(key)) !== null,
    getItem: async key => {
      const value = await get(key)
      return value === null ? null : new TextDecoder().decode(value)
    },
    getItemRaw: get,
    setItem: (key, value) => setEntries(database, [{ key, value: new TextEncoder().encode(value) }]),
    setItemRaw: (key, value: Uint8Array) => setEntries(database, [{ key, value }]),
    removeItem: key => setEntries(database, [{ key, value: undefined }]),
    getKeys: async base => {
      const [listed] = await rowsOf(database, [database.prepare(LIST).bind(base)])
      return (listed?.results ?? []).map(({ key }) => String(key))
    },
    getEntries: keys => getEntries(database, keys),
    setEntries: entries => setEntries(database, entries),
    setEntriesIf: (condition, entries) => setEntriesIf(database, condition, entries),
  }
})
