import { closeSync, fdatasync, openSync } from 'node:fs'
import { isBusy, openSqliteDatabase, type SqliteDatabase, type SqliteStatement } from './sqliteDatabase.ts'

/** WAL bytes after which a checkpoint is due: 1,000 pages take a few milliseconds, and the file stays small. */
const CHECKPOINT_BYTES = 4 * 1024 * 1024
/** WAL bytes at which the next write waits for the checkpoint, so that the file is bounded whatever the event loop does. */
const WAL_BYTES_MAX = 4 * CHECKPOINT_BYTES
/** What one row costs in the WAL beside its bytes: about the page of the index that it changes. */
const ROW_BYTES = 4096

export type SqliteFileOptions = {
  readonly path: string
  /** SQL that makes the tables. */
  readonly schema: string
  /** Version of that schema; a file of another one is refused. */
  readonly layout: number
  readonly pageBytes: number
  /** `full` syncs each transaction before it returns; `normal` keeps their order and leaves syncing to `sync`. */
  readonly synchronous: 'full' | 'normal'
  readonly cacheBytes: number
}

/** One SQLite file in WAL mode that this process alone has open. */
export type SqliteFile = {
  prepare(sql: string): SqliteStatement
  /** Runs the writes in one transaction; `bytes` and `rows` are what they write. Nothing of it stays when it throws. */
  transaction(rows: number, bytes: number, write: () => void): void
  /** Resolves when every transaction before it would survive a power cut. After one that failed all fail, and no more is written. */
  sync(): Promise<void>
  close(): void
}

/** On another thread: what SQLite itself does in FULL mode would hold up everything else for as long as the disk takes. */
const syncFile = (file: number): Promise<void> =>
  new Promise((resolve, reject) => {
    fdatasync(file, error => (error === null ? resolve() : reject(error)))
  })

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

/**
 * @param syncToDisk resolves when what was written to the file with that descriptor is on the disk
 * @throws SqliteFileError
 */
export const openSqliteFile = async (
  options: SqliteFileOptions,
  syncToDisk: (file: number) => Promise<void> = syncFile,
): Promise<SqliteFile> => {
  const { path, schema, layout, pageBytes, synchronous, cacheBytes } = options
  const database = await openSqliteDatabase(path).catch((error: unknown) => {
    throw new SqliteFileError(path, error)
  })
  let walFile: number
  try {
    // The page size only takes effect on a new file; the exclusive lock comes first, so that WAL needs no shared memory.
    database.exec(`PRAGMA page_size = ${pageBytes}`)
    database.exec('PRAGMA locking_mode = EXCLUSIVE')
    database.exec('PRAGMA busy_timeout = 0')
    database.exec('PRAGMA journal_mode = WAL')
    database.exec(`PRAGMA synchronous = ${synchronous === 'full' ? 'FULL' : 'NORMAL'}`)
    database.exec('PRAGMA wal_autocheckpoint = 0')
    database.exec(`PRAGMA cache_size = ${-Math.ceil(cacheBytes / 1024)}`)
    makeTables(database, schema, layout)
    walFile = openSync(`${path}-wal`, 'r+')
  } catch (error) {
    database.close()
    throw isBusy(error) ? error : new SqliteFileError(path, error)
  }
  const begin = database.prepare('BEGIN IMMEDIATE')
  const commit = database.prepare('COMMIT')
  const rollback = database.prepare('ROLLBACK')
  const checkpointStatement = database.prepare('PRAGMA wal_checkpoint(PASSIVE)')
  let walBytes = 0
  let unsynced = false
  let lastSync: Promise<void> = Promise.resolve()
  let due: ReturnType<typeof setTimeout> | undefined
  let closed = false
  /** What broke the file: from then on each write and each sync fails with it. */
  let failure: unknown

  /** Linux forgets what it could not write: a later sync would succeed with that missing, and with it all that follows in the WAL. */
  const syncOnce = async (): Promise<void> => {
    try {
      await syncToDisk(walFile)
    } catch (error) {
      failure ??= error
    }
    if (failure !== undefined) throw failure
  }

  /** Nothing is lost when it fails, the WAL has it all; the next write tells, because this runs when nobody waits for it. */
  const checkpoint = (): void => {
    if (due !== undefined) clearTimeout(due)
    due = undefined
    if (closed) return
    try {
      checkpointStatement.all()
      walBytes = 0
    } catch (error) {
      failure ??= error
    }
  }

  const written = (bytes: number): void => {
    walBytes += bytes
    unsynced = true
    if (walBytes >= WAL_BYTES_MAX) checkpoint()
    // After the caller has its answer, not before.
    else if (walBytes >= CHECKPOINT_BYTES && due === undefined) due = setTimeout(checkpoint, 0)
  }

  return {
    prepare: sql => database.prepare(sql),
    transaction: (rows, bytes, write) => {
      if (failure !== undefined) throw failure
      begin.run()
      try {
        write()
        commit.run()
      } catch (error) {
        try {
          rollback.run()
        } catch {
          // SQLite has rolled back by itself, as it does on a full disk; the first error is the one to tell.
        }
        throw error
      }
      written(bytes + rows * ROW_BYTES)
    },
    sync: () => {
      if (unsynced && synchronous === 'normal') {
        unsynced = false
        lastSync = syncOnce()
      }
      return lastSync
    },
    close: () => {
      if (closed) return
      closed = true
      if (due !== undefined) clearTimeout(due)
      closeSync(walFile)
      // SQLite itself brings the WAL into the file and removes it.
      database.close()
    },
  }
}

/** The tables of the file are not those that this version of the node reads. */
class OtherLayout extends Error {
  override readonly name = 'OtherLayout'
  constructor(found: number, known: number) {
    super(`its tables are of layout ${found}, and this version of the node reads layout ${known}`)
  }
}

/** The file cannot be opened, or is no database, or one of another layout. */
export class SqliteFileError extends Error {
  override readonly name = 'SqliteFileError'
  readonly code = 'SQLITE_FILE'
  constructor(path: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    const help =
      cause instanceof OtherLayout
        ? 'use the version that wrote it, or delete it when it is views.sqlite: the next start makes it again from the segments'
        : 'check that it is a file of this node that it may read and write, or take it from a backup'
    super(`cannot open ${path}: ${reason}; ${help}`, { cause })
  }
}
