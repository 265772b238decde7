import { existsSync, linkSync, openSync, renameSync, rmSync } from 'node:fs'
import { isBusy, type OpenSqlite, type SqliteDatabase } from './sqliteDatabase.ts'

export type SqliteFileOptions = {
  readonly path: string
  /** SQL that makes the tables. */
  readonly schema: string
  /** Version of that schema; a file of another one is refused. */
  readonly layout: number
  readonly pageBytes: number
  readonly cacheBytes: number
}

/** The descriptors are for syncing: SQLite has its own. */
export type OpenedDatabase = {
  readonly database: SqliteDatabase
  readonly walFile: number
  readonly file: number
}

const numberOf = (database: SqliteDatabase, sql: string): number =>
  database.prepare(sql).get()?.['n'] as number

/** Makes the tables of a new file, and notes their layout in the header that SQLite leaves to applications. @throws OtherLayout */
const makeTables = (database: SqliteDatabase, schema: string, layout: number): void => {
  const tables = numberOf(database, 'SELECT count(*) AS n FROM sqlite_schema')
  const found = numberOf(database, 'SELECT user_version AS n FROM pragma_user_version')
  if (tables > 0 && found !== layout) throw new OtherLayout(found, layout)
  // Both or neither: a stop in between would leave a file of no layout.
  database.exec('BEGIN IMMEDIATE')
  database.exec(schema)
  database.exec(`PRAGMA user_version = ${layout}`)
  database.exec('COMMIT')
}

const walOf = (path: string): string => `${path}-wal`

/** Where the WAL is while a close must not remove it. */
const keptOf = (path: string): string => `${path}-wal-kept`

/** After a stop amid `closeWithWal`. */
const restoreWal = (path: string): void => {
  if (!existsSync(keptOf(path))) return
  if (existsSync(walOf(path))) rmSync(keptOf(path))
  else renameSync(keptOf(path), walOf(path))
}

/** Gives the WAL a second name, so that a close does not remove it. Throws what the system says, and then nothing has changed. */
export const keepWal = (path: string): void => {
  rmSync(keptOf(path), { force: true })
  linkSync(walOf(path), keptOf(path))
}

/** After `keepWal`: closes the database, and leaves the WAL for the next open, which brings all of it into the file. */
export const closeWithWal = (database: SqliteDatabase, path: string): void => {
  try {
    database.close()
  } finally {
    renameSync(keptOf(path), walOf(path))
  }
}

const openRestored = (open: OpenSqlite, path: string): SqliteDatabase => {
  try {
    restoreWal(path)
    return open(path)
  } catch (error) {
    throw new SqliteFileError(path, error)
  }
}

/**
 * Opens the file in WAL mode for this process alone, and makes it with its tables when it is not there.
 * @throws SqliteFileError; what SQLite throws for a file that is locked
 */
export const openDatabaseFile = (open: OpenSqlite, options: SqliteFileOptions): OpenedDatabase => {
  const { path, schema, layout, pageBytes, cacheBytes } = options
  const database = openRestored(open, path)
  try {
    // The page size only takes effect on a new file; the exclusive lock comes first, so that WAL needs no shared memory.
    database.exec(`PRAGMA page_size = ${pageBytes}`)
    database.exec('PRAGMA locking_mode = EXCLUSIVE')
    database.exec('PRAGMA busy_timeout = 0')
    database.exec('PRAGMA journal_mode = WAL')
    database.exec('PRAGMA synchronous = NORMAL')
    database.exec('PRAGMA wal_autocheckpoint = 0')
    database.exec(`PRAGMA cache_size = ${-Math.ceil(cacheBytes / 1024)}`)
    makeTables(database, schema, layout)
    return { database, walFile: openSync(walOf(path), 'r+'), file: openSync(path, 'r+') }
  } catch (error) {
    database.close()
    throw isBusy(error) ? error : new SqliteFileError(path, error)
  }
}

/** The tables of the file are not those that this version of the node reads. */
class OtherLayout extends Error {
  override readonly name = 'OtherLayout'
  constructor(found: number, known: number) {
    super(`its tables are of layout ${found}, and this version of the node reads layout ${known}`)
  }
}

const helpFor = (cause: unknown, reason: string): string => {
  if (cause instanceof OtherLayout)
    return 'use the version that wrote it, or delete it when it is views.sqlite: the next start makes it again from the segments'
  if (reason.includes('disk is full')) return 'make room on the disk and start the node again'
  if (reason.includes('readonly')) return 'give this user the right to write to it'
  return 'check that it is a file of this node that it may read and write, or restore the folder it is in from a backup, and no other folder'
}

/** The file cannot be opened, or is no database, or one of another layout. */
export class SqliteFileError extends Error {
  override readonly name = 'SqliteFileError'
  readonly code = 'SQLITE_FILE'
  constructor(path: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    super(`cannot open ${path}: ${reason}; ${helpFor(cause, reason)}`, { cause })
  }
}
