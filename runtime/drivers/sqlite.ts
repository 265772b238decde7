import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Driver, defineDriver } from 'unstorage'
import type { DriverExtensions } from '../../core/store/keyvalue/driverStore.ts'
import type { KeyValueEntry } from '../../core/store/keyvalue/keyvalue.ts'
import { isBusy, type SqliteStatement } from './sqliteDatabase.ts'
import { openSqliteFile, type SqliteFile } from './sqliteFile.ts'
import {
  keyOfPart,
  packKey,
  partNumber,
  pathNumber,
  pathOfNumber,
  sequentialNumber,
  unpackKey,
} from './sqliteKeys.ts'
import { DataPathInUse } from './lock.ts'

export const SEGMENTS_FILE = 'segments.sqlite'
export const VIEWS_FILE = 'views.sqlite'

/** Segments are large, written once, in the order of their numbers. */
const SEGMENT_PAGE_BYTES = 16_384
/** Views are small records with random keys; a change rewrites a page. */
const VIEW_PAGE_BYTES = 4096
const SEGMENT_CACHE_BYTES = 2 * 1024 * 1024
const VIEW_CACHE_BYTES = 8 * 1024 * 1024

/** A table of `name:NUMBER` keys by number: appending to it costs a tenth of what a random key does. */
const sequentialTable = (name: string): string =>
  `CREATE TABLE IF NOT EXISTS ${name} (id INTEGER PRIMARY KEY, value BLOB NOT NULL)`

/**
 * Short values with random keys: accounts, slots and indexes by hash. One tree: a read finds the value beside the key and
 * loads half the pages that an index and a table take.
 */
const FLAT_TABLE = 'CREATE TABLE IF NOT EXISTS flat (key BLOB PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID'

/** All other keys, with values of any length: rows are in the order of insertion, only the index is in the order of keys. */
const ENTRY_TABLE = 'CREATE TABLE IF NOT EXISTS entry (key BLOB NOT NULL UNIQUE, value BLOB NOT NULL)'

/*
 * Version of the tables and of the checksums in them. Files of another layout are refused: their content would not be found,
 * or count as damaged. Views of an earlier layout are emptied when a node opens them, and built again from the segments.
 */
const SEGMENTS_LAYOUT = 1
const VIEWS_LAYOUT = 2

/** Prefix of the keys of state trie records. Those of storage tries have an address instead and go to `entry`. */
export const TRIE_RECORD = 'n:t:n'

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

export type SqliteDriverOptions = SqliteFolderOptions & {
  readonly path: string
  /**
   * False if durable entries need only survive the end of the process, not a power cut: a sync takes the disk milliseconds.
   * `sync` and checkpoints wait for the disk all the same, so a power cut loses the last entries alone.
   */
  readonly waitsForDisk?: boolean
}

export type SqliteFolderOptions = {
  /** Called when views of an earlier layout are emptied; without it they are refused. */
  readonly onEarlierViews?: ((layout: number) => void) | undefined
}

/** False once blocks were removed: the views cannot be built without them. */
const hasAllHistory = (segments: SqliteFile): boolean =>
  segments.prepare('SELECT count(*) AS n FROM history').get()?.['n'] === 0

export type SqliteFolder = { readonly segments: SqliteFile; readonly views: SqliteFile }

/**
 * Segments and views have a file each: the sync of a commit then writes nothing else, and an operator may delete the views,
 * which the next start makes again.
 */
export const openSqliteFolder = async (
  path: string,
  { onEarlierViews }: SqliteFolderOptions = {},
): Promise<SqliteFolder> => {
  mkdirSync(path, { recursive: true })
  let segments: SqliteFile | undefined
  try {
    segments = await openSqliteFile({
      path: join(path, SEGMENTS_FILE),
      schema: `${sequentialTable('segment')}; ${sequentialTable('part')}; ${sequentialTable('history')}`,
      layout: SEGMENTS_LAYOUT,
      pageBytes: SEGMENT_PAGE_BYTES,
      cacheBytes: SEGMENT_CACHE_BYTES,
    })
    const canBuildViews = onEarlierViews !== undefined && hasAllHistory(segments)
    const views = await openSqliteFile({
      path: join(path, VIEWS_FILE),
      schema: `${sequentialTable('header')}; ${sequentialTable('node')}; ${FLAT_TABLE}; ${ENTRY_TABLE}`,
      layout: VIEWS_LAYOUT,
      replacesEarlier: layout => {
        if (canBuildViews) onEarlierViews(layout)
        return canBuildViews
      },
      pageBytes: VIEW_PAGE_BYTES,
      cacheBytes: VIEW_CACHE_BYTES,
    })
    return { segments, views }
  } catch (error) {
    await segments?.close()
    throw isBusy(error) ? new DataPathInUse(path, '') : error
  }
}

/** One write with its table and the key in that table. */
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

/** The tables of both files. */
type Tables = Readonly<Record<'segment' | 'part' | 'history' | 'header' | 'node' | 'flat' | 'entry', Table>>

type Store = SqliteFolder & { readonly tables: Tables }

const openTables = ({ segments, views }: SqliteFolder): Tables => ({
  segment: openTable(segments, 'segment', 'id'),
  part: openTable(segments, 'part', 'id'),
  history: openTable(segments, 'history', 'id'),
  header: openTable(views, 'header', 'id'),
  node: openTable(views, 'node', 'id'),
  flat: openTable(views, 'flat', 'key'),
  entry: openTable(views, 'entry', 'key'),
})

/** Finds the table of a key. */
const place = (tables: Tables, key: string, value: Uint8Array | undefined): Placed => {
  if (isFlat(key)) return { table: tables.flat, at: packKey(key), value }
  const path = pathNumber(key, TRIE_RECORD)
  if (path !== undefined) return { table: tables.node, at: path, value }
  const segmentNumber = sequentialNumber(key, 'segment:')
  if (segmentNumber !== undefined) return { table: tables.segment, at: segmentNumber, value }
  const partId = partNumber(key, 'part:')
  if (partId !== undefined) return { table: tables.part, at: partId, value }
  const historyNumber = sequentialNumber(key, 'history:')
  if (historyNumber !== undefined) return { table: tables.history, at: historyNumber, value }
  const headerNumber = sequentialNumber(key, 'header:')
  if (headerNumber !== undefined) return { table: tables.header, at: headerNumber, value }
  return { table: tables.entry, at: packKey(key), value }
}

const readKey = ({ tables }: Store, key: string): Uint8Array | undefined => {
  const { table, at } = place(tables, key, undefined)
  return table.read.get(at)?.['value'] as Uint8Array | undefined
}

const writeEntries = async (
  { segments, views, tables }: Store,
  entries: readonly KeyValueEntry[],
): Promise<{ readonly hasSegments: boolean; readonly hasViews: boolean }> => {
  const placed = entries.map(({ key, value }) => place(tables, key, value))
  const isOfSegments = ({ table }: Placed): boolean =>
    table === tables.segment || table === tables.part || table === tables.history
  const ofViews = placed.filter(one => !isOfSegments(one))
  const ofSegments = placed.filter(isOfSegments)
  // Views first: a segment that was written with its views is never found without them.
  await writePlaced(views, ofViews)
  await writePlaced(segments, ofSegments)
  return { hasSegments: ofSegments.length > 0, hasViews: ofViews.length > 0 }
}

const writeDurably = async (store: Store, entries: readonly KeyValueEntry[]): Promise<void> => {
  const { hasSegments, hasViews } = await writeEntries(store, entries)
  if (hasViews) await store.views.sync()
  if (hasSegments) await store.segments.sync()
}

const listKeys = ({ tables }: Store, base: string): string[] => {
  const { segment, part, history, header, node, flat, entry } = tables
  return [
    ...part.list.all().map(row => keyOfPart(row['key'] as number, 'part:')),
    ...[segment, history, header].flatMap(table =>
      table.list.all().map(row => `${table.name}:${String(row['key'])}`),
    ),
    ...node.list.all().map(row => TRIE_RECORD + pathOfNumber(row['key'] as number)),
    ...[flat, entry].flatMap(table => table.list.all().map(row => unpackKey(row['key'] as Uint8Array))),
  ].filter(key => key.startsWith(base))
}

type SqliteDriverParts = SqliteFolder & Pick<SqliteDriverOptions, 'waitsForDisk'>

export const sqliteDriverOf = defineDriver((options: SqliteDriverParts): Driver & DriverExtensions => {
  const { waitsForDisk = true, ...files } = options
  const { segments, views } = files
  const store: Store = { ...files, tables: openTables(files) }
  const read = (key: string): Uint8Array | undefined => readKey(store, key)
  const write = async (entries: readonly KeyValueEntry[]): Promise<void> => {
    await writeEntries(store, entries)
  }
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
    getKeys: base => listKeys(store, base),
    clear: base => write(listKeys(store, base).map(key => ({ key, value: undefined }))),
    dispose: async () => {
      await segments.close()
      await views.close()
    },
    getItemRawSync: read,
    setEntries: write,
    setDurably: entry => (waitsForDisk ? writeDurably(store, [entry]) : write([entry])),
    setAllDurably: entries => (waitsForDisk ? writeDurably(store, entries) : write(entries)),
    sync: async () => {
      await Promise.all([views.sync(), segments.sync()])
    },
    recover: async () => {
      await segments.recover()
      await views.recover()
    },
  }
})

/**
 * unstorage driver over SQLite on Bun, Node and Deno: raw bytes, a batch in one transaction, synchronous reads. Durability
 * `synced`: after `sync`, or with `setDurably`. Those syncs and the ones of a checkpoint do not block the event loop.
 * SQLite's own syncs do: at the first write after a checkpoint, which is one page, at an open and at a close.
 * @throws DataPathInUse when another process has the files open.
 */
export const openSqliteDriver = async ({
  path,
  waitsForDisk = true,
  ...options
}: SqliteDriverOptions): Promise<Driver & DriverExtensions> =>
  sqliteDriverOf({ ...(await openSqliteFolder(path, options)), waitsForDisk })
