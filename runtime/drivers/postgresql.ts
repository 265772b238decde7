import { bufferOf } from './bufferOf.ts'
import { type Driver, defineDriver } from 'unstorage'
import type { EntryCondition } from '../../core/store/keyvalue/condition.ts'
import type { DriverExtensions } from '../../core/store/keyvalue/driverStore.ts'
import type { KeyValueEntry, KeyValueStore } from '../../core/store/keyvalue/keyvalue.ts'
import { connectionFailureReason } from '../files/reason.ts'
import { openSqlPool, type SqlPool } from './postgresqlClient.ts'
import type { OpenedDriver } from './redis.ts'
import { StorageUnavailable } from './storageUnavailable.ts'

export type PostgresqlDriverOptions = {
  /** `postgres://user:password@host:5432/database`. */
  readonly url: string
  /** Lower-case letters, digits and underscores; `quorate` by default. Made when it is not there. */
  readonly table?: string
}

const TABLE = /^[a-z_][a-z0-9_]{0,50}$/

/** Bytes and keys of one statement: a larger batch is a transaction of seconds, and its text takes as much again. */
const STATEMENT_BYTES_MAX = 64 * 1024 * 1024

/** The table's statements. A batch of values is one byte string with the lengths: an array of byte strings is sent as hex. */
const statementsOf = (table: string) => {
  const values =
    '(SELECT n.k, substring($2::bytea FROM n.o FOR n.l) AS v FROM unnest($1::text[], $3::int[], $4::int[]) AS n(k, o, l)) AS e'
  const upsert = 'ON CONFLICT (k) DO UPDATE SET v = excluded.v'
  const batch = (from: string): string =>
    `put AS (INSERT INTO ${table} (k, v) SELECT e.k, e.v FROM ${values}${from} ${upsert}), ` +
    `gone AS (DELETE FROM ${table} AS t USING unnest($5::text[]) AS r(k)${from} WHERE t.k = r.k)`
  return {
    find: `SELECT to_regclass('${table}') IS NOT NULL AS found`,
    create: `CREATE TABLE IF NOT EXISTS ${table} (k text COLLATE "C" PRIMARY KEY, v bytea NOT NULL)`,
    get: `SELECT v FROM ${table} WHERE k = $1`,
    getMany: `SELECT k, v FROM ${table} WHERE k = ANY ($1::text[])`,
    has: `SELECT 1 AS found FROM ${table} WHERE k = $1`,
    list: `SELECT k FROM ${table} WHERE starts_with(k, $1)`,
    set: `WITH ${batch('')} SELECT 1 AS done`,
    setIfSame:
      `WITH held AS MATERIALIZED (SELECT 1 AS one FROM ${table} WHERE k = $6 AND v = $7 FOR UPDATE), ` +
      `${batch(', held')} SELECT one FROM held`,
    // The row stays as it is, so that several such writes run beside each other; a write of that row waits for them.
    setIfHeld:
      `WITH held AS MATERIALIZED (SELECT 1 AS one FROM ${table} WHERE k = $6 AND v = $7 FOR SHARE), ` +
      `${batch(', held')} SELECT one FROM held`,
    setIfAbsent:
      `WITH held AS (INSERT INTO ${table} (k, v) VALUES ($6, $7) ON CONFLICT (k) DO NOTHING RETURNING 1 AS one), ` +
      `${batch(', held')} SELECT one FROM held`,
  }
}

type Statements = ReturnType<typeof statementsOf>

/** The parameters of a batch: keys, all values one behind the other, their positions (from 1) and lengths, keys to remove. */
const parametersOf = (entries: readonly KeyValueEntry[]): readonly unknown[] => {
  const last = new Map<string, Uint8Array | undefined>()
  for (const { key, value } of entries) last.set(key, value)
  const keys: string[] = []
  const offsets: number[] = []
  const lengths: number[] = []
  const removed: string[] = []
  const chunks: Uint8Array[] = []
  let bytes = 0
  for (const [key, value] of last) {
    if (value === undefined) {
      removed.push(key)
      continue
    }
    keys.push(key)
    offsets.push(bytes + 1)
    lengths.push(value.length)
    chunks.push(value)
    bytes += value.length
  }
  if (bytes > STATEMENT_BYTES_MAX)
    throw new RangeError(
      `a batch of ${bytes} bytes is more than one statement takes (${STATEMENT_BYTES_MAX})`,
    )
  return [keys, Buffer.concat(chunks), offsets, lengths, removed]
}

const setEntriesIf = async (
  pool: SqlPool,
  { setIfSame, setIfHeld, setIfAbsent }: Statements,
  { key, value }: EntryCondition,
  entries: readonly KeyValueEntry[],
): Promise<boolean> => {
  if (value !== undefined) {
    const replaces = entries.some(entry => entry.key === key)
    const [name, text] = replaces
      ? (['quorate_set_if', setIfSame] as const)
      : (['quorate_set_held', setIfHeld] as const)
    const rows = await pool.query(name, text, [...parametersOf(entries), key, bufferOf(value)])
    return rows.length > 0
  }
  const first = entries.find(entry => entry.key === key)?.value
  if (first === undefined) throw new RangeError('a write that expects no value must write one under that key')
  const others = entries.filter(entry => entry.key !== key)
  const rows = await pool.query('quorate_set_new', setIfAbsent, [
    ...parametersOf(others),
    key,
    bufferOf(first),
  ])
  return rows.length > 0
}

const bytesOf = (row: { readonly v?: unknown } | undefined): Uint8Array | undefined =>
  row?.v instanceof Uint8Array ? row.v : undefined

type Opened = { readonly pool: SqlPool; readonly statements: Statements }

const driverOf = defineDriver(({ pool, statements }: Opened): Driver<Opened> & DriverExtensions => {
  const get = async (key: string): Promise<Uint8Array | null> => {
    const [row] = await pool.query('quorate_get', statements.get, [key])
    return bytesOf(row) ?? null
  }
  const set = async (entries: readonly KeyValueEntry[]): Promise<void> => {
    await pool.query('quorate_set', statements.set, parametersOf(entries))
  }
  return {
    name: 'postgresql',
    hasItem: async key => (await pool.query('quorate_has', statements.has, [key])).length > 0,
    getItem: async key => {
      const value = await get(key)
      return value === null ? null : new TextDecoder().decode(value)
    },
    getItemRaw: get,
    setItem: (key, value) => set([{ key, value: new TextEncoder().encode(value) }]),
    setItemRaw: (key, value: Uint8Array) => set([{ key, value }]),
    removeItem: key => set([{ key, value: undefined }]),
    getKeys: async base =>
      (await pool.query('quorate_list', statements.list, [base])).map(({ k }) => k as string),
    dispose: () => pool.close(),
    getEntries: async keys => {
      const rows = await pool.query('quorate_get_many', statements.getMany, [[...new Set(keys)]])
      const found = new Map(rows.map(row => [row['k'], bytesOf(row)]))
      return keys.map(key => found.get(key))
    },
    setEntries: set,
    setDurably: entry => set([entry]),
    setAllDurably: set,
    setEntriesIf: (condition, entries) => setEntriesIf(pool, statements, condition, entries),
  }
})

/** `synced` where the server writes its log to the disk before it answers, which is its default. */
const durabilityOf = async (pool: SqlPool): Promise<KeyValueStore['durability']> => {
  const [row] = await pool.query(
    'quorate_durability',
    "SELECT current_setting('synchronous_commit', true) AS commit, current_setting('fsync', true) AS fsync",
    [],
  )
  return row?.['commit'] !== 'off' && row?.['fsync'] !== 'off' ? 'synced' : 'process'
}

/**
 * SQLSTATE codes of `CREATE TABLE IF NOT EXISTS` while another process creates the same table: unique_violation in the
 * catalogue, duplicate_object for the row type, duplicate_table.
 */
const CREATED_CONCURRENTLY: readonly unknown[] = ['23505', '42710', '42P07']

/**
 * Makes the table where it is missing: the statement needs rights that a reader has not, and a standby refuses it, even if the
 * table is there. Processes that start together may all find it missing; one of them makes it.
 */
const createTable = async (pool: SqlPool, { find, create }: Statements): Promise<void> => {
  const [row] = await pool.query('quorate_find', find, [])
  if (row?.['found'] === true) return
  try {
    await pool.query('quorate_create', create, [])
  } catch (error) {
    if (!CREATED_CONCURRENTLY.includes((error as { readonly code?: unknown }).code)) throw error
  }
}

/** The driver over an open pool, whose table is there. */
export const postgresqlDriver = (pool: SqlPool, table = 'quorate'): Driver & DriverExtensions =>
  driverOf({ pool, statements: statementsOf(table) })

/**
 * unstorage driver over PostgreSQL and what speaks its protocol: raw bytes, a batch in one transaction, a conditional batch
 * in one round trip.
 * @throws StorageUnavailable when the client is not installed, or the server is not reached
 */
export const openPostgresqlDriver = async ({
  url,
  table = 'quorate',
}: PostgresqlDriverOptions): Promise<OpenedDriver> => {
  if (!TABLE.test(table))
    throw new StorageUnavailable(
      `the storage postgresql cannot have the table ${JSON.stringify(table)}: use lower-case letters, digits and underscores`,
    )
  const pool = await openSqlPool({ url })
  const statements = statementsOf(table)
  try {
    await createTable(pool, statements)
    return { driver: driverOf({ pool, statements }), durability: await durabilityOf(pool) }
  } catch (cause) {
    await pool.close()
    const reason = connectionFailureReason(cause)
    throw new StorageUnavailable(`the storage postgresql cannot be used: ${reason}; check the URL`, { cause })
  }
}
