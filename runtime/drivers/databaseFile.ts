import { errorText } from '../../core/text/errorText.ts'
import { existsSync, linkSync, openSync, renameSync, rmSync } from 'node:fs'
import { basename } from 'node:path'
import { isBusy, isDamaged, type OpenSqlite, type SqliteDatabase } from './sqliteDatabase.ts'

export type SqliteFileOptions = {
  readonly path: string
  /** SQL that creates the tables. */
  readonly schema: string
  /** Version of that schema; a file of another version is refused. */
  readonly layout: number
  /** Called for a file of an earlier version: true lets it be emptied instead, because its content can be built again. */
  readonly replacesEarlier?: (layout: number) => boolean
  readonly pageBytes: number
  readonly cacheBytes: number
}

/** A database and file descriptors for syncs, besides those of SQLite. */
export type OpenedDatabase = {
  readonly database: SqliteDatabase
  readonly walFile: number
  readonly file: number
}

const numberOf = (database: SqliteDatabase, sql: string): number =>
  database.prepare(sql).get()?.['n'] as number

const TABLES = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"

const layoutOf = (database: SqliteDatabase): number =>
  numberOf(database, 'SELECT user_version AS n FROM pragma_user_version')

/** For a file that is only read. @throws NoTables, OtherLayout */
export const requireTables = (database: SqliteDatabase, { layout }: SqliteFileOptions): void => {
  if (database.prepare(TABLES).all().length === 0) throw new NoTables('it has no tables')
  const found = layoutOf(database)
  if (found !== layout) throw new OtherLayout(found, layout)
}

/** Creates the tables of a new file, and records their layout in `user_version`. @throws OtherLayout */
const createTables = (
  database: SqliteDatabase,
  { schema, layout, replacesEarlier }: SqliteFileOptions,
): void => {
  const tables = database.prepare(TABLES).all()
  const found = layoutOf(database)
  const isOther = tables.length > 0 && found !== layout
  if (isOther && !(found < layout && replacesEarlier?.(found) === true)) throw new OtherLayout(found, layout)
  // In one transaction: a crash in between would leave a file without a layout, or without a part of its tables.
  database.exec('BEGIN IMMEDIATE')
  if (isOther) for (const { name } of tables) database.exec(`DROP TABLE "${String(name)}"`)
  database.exec(schema)
  database.exec(`PRAGMA user_version = ${layout}`)
  database.exec('COMMIT')
}

const walOf = (path: string): string => `${path}-wal`

/** Second name of the WAL while a close must not remove it. */
const keptOf = (path: string): string => `${path}-wal-kept`

/** Restores the WAL after a crash during `closeWithWal`. */
export const restoreWal = (path: string): void => {
  if (!existsSync(keptOf(path))) return
  if (existsSync(walOf(path))) rmSync(keptOf(path))
  else renameSync(keptOf(path), walOf(path))
}

/** Links the WAL to a second name, so that a close does not remove it. @throws the system's error; then nothing has changed */
export const keepWal = (path: string): void => {
  rmSync(keptOf(path), { force: true })
  linkSync(walOf(path), keptOf(path))
}

/** After `keepWal`: closes the database and keeps the WAL for the next open, which copies it into the file. */
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
 * Opens the file in WAL mode for this process only, and creates it with its tables if it does not exist.
 * @throws SqliteFileError; SQLite's error for a locked file
 */
export const openDatabaseFile = (open: OpenSqlite, options: SqliteFileOptions): OpenedDatabase => {
  const { path, pageBytes, cacheBytes } = options
  const database = openRestored(open, path)
  try {
    // The page size takes effect on a new file only. The exclusive lock comes first, so that WAL needs no shared memory.
    database.exec(`PRAGMA page_size = ${pageBytes}`)
    database.exec('PRAGMA locking_mode = EXCLUSIVE')
    database.exec('PRAGMA busy_timeout = 0')
    database.exec('PRAGMA journal_mode = WAL')
    database.exec('PRAGMA synchronous = NORMAL')
    database.exec('PRAGMA wal_autocheckpoint = 0')
    database.exec(`PRAGMA cache_size = ${-Math.ceil(cacheBytes / 1024)}`)
    createTables(database, options)
    return { database, walFile: openSync(walOf(path), 'r+'), file: openSync(path, 'r+') }
  } catch (error) {
    database.close()
    throw isBusy(error) ? error : new SqliteFileError(path, error)
  }
}

/** The tables of the file have another layout than this version reads. */
class OtherLayout extends Error {
  override readonly name = 'OtherLayout'
  constructor(found: number, known: number) {
    super(`its tables have layout ${found}, and this version of the node reads layout ${known}`)
  }
}

/** A file that is read only has no tables, where a node would create them. */
class NoTables extends Error {
  override readonly name = 'NoTables'
}

const hasDamage = (cause: unknown): boolean => cause instanceof NoTables || isDamaged(cause)

/** What to do about a damaged file, by its name. */
const DAMAGE_HELP: Readonly<Record<string, string>> = {
  'views.sqlite':
    'stop the node and run storage check --repair, which builds it again from the block records, or says why it cannot',
  'segments.sqlite':
    'restore the folder of the chain from a backup or a snapshot, or delete it: the node then fetches the chain from its peers. Leave the key and the folder validator as they are',
}

const OTHER_HELP =
  'check that it is a file of this node with read and write permission, or restore its folder, and no other one, from a backup'

const helpFor = (path: string, cause: unknown, reason: string): string => {
  if (cause instanceof OtherLayout)
    return 'use the version that wrote it; if it is views.sqlite, delete it, and the next start creates it again from the segments'
  if (reason.includes('disk is full')) return 'free space on the disk and start the node again'
  if (reason.includes('readonly')) return 'give this user write permission'
  return (hasDamage(cause) ? DAMAGE_HELP[basename(path)] : undefined) ?? OTHER_HELP
}

/** The file cannot be opened, is damaged or not a database, or has another layout. */
export class SqliteFileError extends Error {
  override readonly name = 'SqliteFileError'
  readonly code = 'SQLITE_FILE'
  readonly path: string
  /** True if SQLite cannot read the content of the file. */
  readonly isDamaged: boolean
  constructor(path: string, cause: unknown, attempt = 'open') {
    const reason = errorText(cause)
    super(`cannot ${attempt} ${path}: ${reason}; ${helpFor(path, cause, reason)}`, { cause })
    this.path = path
    this.isDamaged = hasDamage(cause)
  }
}
