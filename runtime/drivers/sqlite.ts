import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Driver, defineDriver } from 'unstorage'
import type { DriverExtensions } from '../../core/store/driverStore.ts'
import type { KeyValueEntry } from '../../core/store/keyvalue.ts'
import { isBusy, type SqliteStatement } from './sqliteDatabase.ts'
import { openSqliteFile, type SqliteFile } from './sqliteFile.ts'
import { packKey, pathNumber, pathOfNumber, sequentialNumber, unpackKey } from './sqliteKeys.ts'
import { DataPathInUse } from './lock.ts'

export const SEGMENTS_FILE = 'segments.sqlite'
export const VIEWS_FILE = 'views.sqlite'

/** Segments are large and written once, one behind the other. */
const SEGMENT_PAGE_BYTES = 16_384
/** Views are small records at random places; a changed one rewrites a page. */
const VIEW_PAGE_BYTES = 4096
const SEGMENT_CACHE_BYTES = 2 * 1024 * 1024
const VIEW_CACHE_BYTES = 8 * 1024 * 1024

/** A table of `name:NUMBER` keys by number: appending to it costs a tenth of what a random key does. */
const sequentialTable = (name: string): string =>
  `CREATE TABLE IF NOT EXISTS ${name} (id INTEGER PRIMARY KEY, value BLOB NOT NULL)`

/**
 * Short values of random keys: accounts, slots and what is found by a hash. One tree: a read finds the value where it finds
 * the key, in half the pages that an index and a table take.
 */
const FLAT_TABLE = 'CREATE TABLE IF NOT EXISTS flat (key BLOB PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID'

/** What is left, values of any length: rows lie in the order they came, and only the index is in the order of keys. */
const ENTRY_TABLE = 'CREATE TABLE IF NOT EXISTS entry (key BLOB NOT NULL UNIQUE, value BLOB NOT NULL)'

/*
 * Of the tables and of the checksums in them. Files of another layout are refused: what they hold would be looked for
 * elsewhere, or count as damaged.
 */
const SEGMENTS_LAYOUT = 1
const VIEWS_LAYOUT = 2

/** What the keys of the records of the state trie begin with; storage tries have an address there, and are `entry`. */
const TRIE_RECORD = 'n:t:n'

const isFlat = (key: string): boolean =>
  key.charCodeAt(1) === 58 && (key[0] === 'a' || key[0] === 's' || key[0] === 't' || key[0] === 'b')

type Table = {
  readonly name: string
  readonly read: SqliteStatement
  readonly write: SqliteStatement
  readonly remove: SqliteStatement
  readonly list: SqliteStatement
}

const openTable = (file: SqliteFile, name: string, column: 'id' | 'key'): Table => ({
  name,
  read: file.prepare(`SELECT value FROM ${name} WHERE ${column} = ?`),
  write: file.prepare(
    `INSERT INTO ${name} (${column}, value) VALUES (?, ?) ON CONFLICT (${column}) DO UPDATE SET value = excluded.value`,
  ),
  remove: file.prepare(`DELETE FROM ${name} WHERE ${column} = ?`),
  list: file.prepare(`SELECT ${column} AS key FROM ${name}`),
})

export type SqliteDriverOptions = { readonly path: string }

type Files = { readonly segments: SqliteFile; readonly views: SqliteFile }

/**
 * Segments and views have a file each: the sync of a commit then has nothing else to write, and the views can be deleted
 * to have them made again.
 */
const openFiles = async (path: string): Promise<Files> => {
  mkdirSync(path, { recursive: true })
  let segments: SqliteFile | undefined
  try {
    segments = await openSqliteFile({
      path: join(path, SEGMENTS_FILE),
      schema: sequentialTable('segment'),
      layout: SEGMENTS_LAYOUT,
      pageBytes: SEGMENT_PAGE_BYTES,
      cacheBytes: SEGMENT_CACHE_BYTES,
    })
    const views = await openSqliteFile({
      path: join(path, VIEWS_FILE),
      schema: `${sequentialTable('header')}; ${sequentialTable('node')}; ${FLAT_TABLE}; ${ENTRY_TABLE}`,
      layout: VIEWS_LAYOUT,
      pageBytes: VIEW_PAGE_BYTES,
      cacheBytes: VIEW_CACHE_BYTES,
    })
    return { segments, views }
  } catch (error) {
    await segments?.close()
    throw isBusy(error) ? new DataPathInUse(path, '') : error
  }
}

/** One write, with the table and the key in it. */
type Placed = {
  readonly table: Table
  readonly at: number | Uint8Array
  readonly value: Uint8Array | undefined
}

const writePlaced = async (file: SqliteFile, writes: readonly Placed[]): Promise<void> => {
  if (writes.length === 0) return
  let bytes = 0
  for (const { value } of writes) bytes += value?.length ?? 0
  await file.transaction(writes.length, bytes, () => {
    for (const { table, at, value } of writes)
      if (value === undefined) table.remove.run(at)
      else table.write.run(at, value)
  })
}

const driverOf = defineDriver(({ segments, views }: Files): Driver & DriverExtensions => {
  const segment = openTable(segments, 'segment', 'id')
  const header = openTable(views, 'header', 'id')
  const node = openTable(views, 'node', 'id')
  const flat = openTable(views, 'flat', 'key')
  const entry = openTable(views, 'entry', 'key')

  const place = (key: string, value: Uint8Array | undefined): Placed => {
    if (isFlat(key)) return { table: flat, at: packKey(key), value }
    const path = pathNumber(key, TRIE_RECORD)
    if (path !== undefined) return { table: node, at: path, value }
    const segmentNumber = sequentialNumber(key, 'segment:')
    if (segmentNumber !== undefined) return { table: segment, at: segmentNumber, value }
    const headerNumber = sequentialNumber(key, 'header:')
    if (headerNumber !== undefined) return { table: header, at: headerNumber, value }
    return { table: entry, at: packKey(key), value }
  }
  const read = (key: string): Uint8Array | undefined => {
    const { table, at } = place(key, undefined)
    return table.read.get(at)?.['value'] as Uint8Array | undefined
  }
  const write = async (all: readonly KeyValueEntry[]): Promise<void> => {
    const placed = all.map(({ key, value }) => place(key, value))
    // Views first: whoever writes both at once finds the segment only with its views.
    await writePlaced(
      views,
      placed.filter(({ table }) => table !== segment),
    )
    await writePlaced(
      segments,
      placed.filter(({ table }) => table === segment),
    )
  }
  const sync = async (): Promise<void> => {
    await Promise.all([views.sync(), segments.sync()])
  }
  const setAllDurably = async (all: readonly KeyValueEntry[]): Promise<void> => {
    await write(all)
    const areSegments = all.map(({ key }) => place(key, undefined).table === segment)
    if (areSegments.includes(false)) await views.sync()
    if (areSegments.includes(true)) await segments.sync()
  }
  const keys = (): string[] => [
    ...[segment, header].flatMap(table => table.list.all().map(row => `${table.name}:${String(row['key'])}`)),
    ...node.list.all().map(row => TRIE_RECORD + pathOfNumber(row['key'] as number)),
    ...[flat, entry].flatMap(table => table.list.all().map(row => unpackKey(row['key'] as Uint8Array))),
  ]

  return {
    name: 'sqlite',
    hasItem: key => read(key) !== undefined,
    getItem: key => {
      const value = read(key)
      return value === undefined ? null : new TextDecoder().decode(value)
    },
    getItemRaw: key => read(key) ?? null,
    setItem: (key, value) => write([{ key, value: new TextEncoder().encode(value) }]),
    setItemRaw: (key, value: Uint8Array) => write([{ key, value }]),
    removeItem: key => write([{ key, value: undefined }]),
    getKeys: base => keys().filter(key => key.startsWith(base)),
    clear: base => write(keys().flatMap(key => (key.startsWith(base) ? [{ key, value: undefined }] : []))),
    dispose: async () => {
      await segments.close()
      await views.close()
    },
    getItemRawSync: read,
    setEntries: write,
    setDurably: one => setAllDurably([one]),
    setAllDurably,
    sync,
    recover: async () => {
      await segments.recover()
      await views.recover()
    },
  }
})

/**
 * unstorage driver over SQLite on Bun, Node and Deno: raw bytes, a batch in one transaction, synchronous reads. Durability
 * `synced`: after `sync`, or with `setDurably`. Those syncs and the ones of a checkpoint do not hold up the event loop; SQLite's own
 * do, at the first write after a checkpoint, which is of one page, at an open and at a close.
 * @throws DataPathInUse when another process has the files open.
 */
export const openSqliteDriver = async ({ path }: SqliteDriverOptions): Promise<Driver & DriverExtensions> =>
  driverOf(await openFiles(path))
