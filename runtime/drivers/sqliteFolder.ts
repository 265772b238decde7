import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { SqliteFileError } from './databaseFile.ts'
import { DataPathInUse } from './lock.ts'
import type { SqliteFileOptions } from './databaseFile.ts'
import { isBusy } from './sqliteDatabase.ts'
import { openSqliteFile, type SqliteFile } from './sqliteFile.ts'

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

export type SqliteFolderOptions = {
  /** Called when views of an earlier layout are emptied; without it they are refused. */
  readonly onEarlierViews?: ((layout: number) => void) | undefined
  /** Called when views that cannot be opened are deleted; without it they are refused. */
  readonly onDamagedViews?: ((error: SqliteFileError) => void) | undefined
}

/** False once blocks were removed: the views cannot be built without them. */
const hasAllHistory = (segments: SqliteFile): boolean =>
  segments.prepare('SELECT count(*) AS n FROM history').get()?.['n'] === 0

/** The log of the database goes first: beside a new file it would be taken for its log. */
const SUFFIXES = ['-wal', '-wal-kept', '-shm', '']

/** Deletes the views. The next open of the chain builds them again from the block records. */
export const removeViews = (path: string): void => {
  for (const suffix of SUFFIXES) rmSync(join(path, `${VIEWS_FILE}${suffix}`), { force: true })
}

/** Opens a file to write, or to read alone. */
export type OpenFile = (options: SqliteFileOptions) => Promise<SqliteFile>

/** @throws DataPathInUse when another process has the files open; SqliteFileError */
export const openSegmentsFile = async (
  path: string,
  open: OpenFile = openSqliteFile,
): Promise<SqliteFile> => {
  try {
    return await open({
      path: join(path, SEGMENTS_FILE),
      schema: `${sequentialTable('segment')}; ${sequentialTable('part')}; ${sequentialTable('history')}`,
      layout: SEGMENTS_LAYOUT,
      pageBytes: SEGMENT_PAGE_BYTES,
      cacheBytes: SEGMENT_CACHE_BYTES,
    })
  } catch (error) {
    throw isBusy(error) ? new DataPathInUse(path, '') : error
  }
}

/** Opens the views beside these segments. @throws as `openSegmentsFile` */
export const openViewsFile = async (
  path: string,
  segments: SqliteFile,
  { onEarlierViews, onDamagedViews }: SqliteFolderOptions = {},
  openFile: OpenFile = openSqliteFile,
): Promise<SqliteFile> => {
  const canBuild = hasAllHistory(segments)
  const open = (): Promise<SqliteFile> =>
    openFile({
      path: join(path, VIEWS_FILE),
      schema: `${sequentialTable('header')}; ${sequentialTable('node')}; ${FLAT_TABLE}; ${ENTRY_TABLE}`,
      layout: VIEWS_LAYOUT,
      replacesEarlier: layout => {
        if (canBuild) onEarlierViews?.(layout)
        return canBuild && onEarlierViews !== undefined
      },
      pageBytes: VIEW_PAGE_BYTES,
      cacheBytes: VIEW_CACHE_BYTES,
    })
  try {
    return await open()
  } catch (error) {
    if (isBusy(error)) throw new DataPathInUse(path, '')
    const isReplaced = canBuild && error instanceof SqliteFileError && error.isDamaged
    if (!isReplaced || onDamagedViews === undefined) throw error
    onDamagedViews(error)
    removeViews(path)
    return open()
  }
}

export type SqliteFolder = { readonly segments: SqliteFile; readonly views: SqliteFile }

/**
 * Segments and views have a file each: the sync of a commit then writes nothing else, and an operator may delete the views,
 * which the next start makes again.
 * @throws as `openSegmentsFile`
 */
export const openSqliteFolder = async (
  path: string,
  options: SqliteFolderOptions = {},
): Promise<SqliteFolder> => {
  mkdirSync(path, { recursive: true })
  const segments = await openSegmentsFile(path)
  try {
    return { segments, views: await openViewsFile(path, segments, options) }
  } catch (error) {
    await segments.close()
    throw error
  }
}
