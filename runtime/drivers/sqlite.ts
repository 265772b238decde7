import { type Driver, defineDriver } from 'unstorage'
import type { DriverExtensions } from '../../core/store/keyvalue/driverStore.ts'
import type { KeyValueEntry } from '../../core/store/keyvalue/keyvalue.ts'
import type { SqliteStatement } from './sqliteDatabase.ts'
import type { SqliteFile } from './sqliteFile.ts'
import { openSqliteFolder, type SqliteFolder, type SqliteFolderOptions } from './sqliteFolder.ts'
import {
  keyOfPart,
  packKey,
  partNumber,
  pathNumber,
  pathOfNumber,
  sequentialNumber,
  unpackKey,
} from './sqliteKeys.ts'

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
