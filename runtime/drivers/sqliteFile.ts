import { closeSync, fdatasync } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import {
  closeWithWal,
  keepWal,
  type OpenedDatabase,
  openDatabaseFile,
  SqliteFileError,
  type SqliteFileOptions,
} from './databaseFile.ts'
import { exclusiveTurn } from '../scheduler.ts'
import { isDamaged, loadSqlite, type OpenSqlite, type SqliteStatement } from './sqliteDatabase.ts'

/** WAL bytes after which a checkpoint is due: copying 500 pages takes 2 to 9 ms, and fewer would sync the file too often. */
const CHECKPOINT_BYTES = 2 * 1024 * 1024
/** Writing this many bytes takes some milliseconds. */
const LARGE_BYTES = 256 * 1024
/** WAL bytes of a row besides its own: about the index page that it changes. */
const ROW_BYTES = 4096

/** One SQLite file in WAL mode, open in this process only. Writes run in the order of their calls. */
export type SqliteFile = {
  prepare(sql: string): SqliteStatement
  /**
   * Runs the writes in one transaction; `bytes` and `rows` are their sizes. Readers find them when it resolves; they stay in
   * order, and are durable after `sync`. Nothing is written when it rejects.
   */
  transaction(rows: number, bytes: number, write: () => void): Promise<void>
  /** Resolves when every earlier transaction would survive a power cut. After a failed sync all writes and syncs fail. */
  sync(): Promise<void>
  /**
   * Reopens the file after a failed sync or checkpoint, so that writes continue: durable transactions are kept, later ones
   * may be lost. Rejects, and changes nothing, while the disk has no room. Does nothing if only writes have failed.
   */
  recover(): Promise<void>
  close(): Promise<void>
}

/** Free bytes that a reopened file may need at once: the WAL of two checkpoints. */
const FREE_BYTES_MIN = 2 * CHECKPOINT_BYTES

/** @throws the system's error if that many bytes cannot be written beside the file */
const requireFreeSpace = async (path: string): Promise<void> => {
  const probe = `${path}-room`
  try {
    const file = await open(probe, 'w')
    try {
      await file.writeFile(new Uint8Array(FREE_BYTES_MIN))
      await file.datasync()
    } finally {
      await file.close()
    }
  } finally {
    await rm(probe, { force: true })
  }
}

/** A statement that remains usable after the database is reopened. */
type Prepared = { readonly sql: string; statement: SqliteStatement }

/** On another thread: a sync by SQLite would block the event loop for as long as the disk takes. */
const syncFile = (file: number): Promise<void> =>
  new Promise((resolve, reject) => {
    fdatasync(file, error => (error === null ? resolve() : reject(error)))
  })

type FileState = {
  readonly options: SqliteFileOptions
  readonly openSqlite: OpenSqlite
  readonly syncToDisk: (file: number) => Promise<void>
  readonly prepared: Prepared[]
  /** Undefined after a close, and after a reopen that failed. */
  opened: OpenedDatabase | undefined
  /** Estimated size of the WAL. */
  walBytes: number
  isCheckpointDue: boolean
  /** True if transactions were committed after the last sync began. */
  isUnsynced: boolean
  lastSync: Promise<void>
  /** The end of the operation that was queued last. */
  lastOperation: Promise<unknown>
  /** The end of the transaction that was queued last. */
  lastWrite: Promise<unknown>
  closing: Promise<void> | undefined
  /** The first failed sync or checkpoint: every later write and sync fails with it until `recover`. */
  failure: unknown
}

/** @throws Error after a reopen that failed */
const current = ({ opened, options }: FileState): OpenedDatabase => {
  if (opened === undefined) throw new Error(`${options.path} is closed after a failed write`)
  return opened
}

/** A statement whose errors name the file where that is damaged. */
const prepare = (state: FileState, sql: string): SqliteStatement => {
  const one: Prepared = { sql, statement: current(state).database.prepare(sql) }
  state.prepared.push(one)
  const named = (cause: unknown): unknown =>
    isDamaged(cause) ? new SqliteFileError(state.options.path, cause, 'read') : cause
  return {
    get: (...values) => {
      try {
        return one.statement.get(...values)
      } catch (cause) {
        throw named(cause)
      }
    },
    all: (...values) => {
      try {
        return one.statement.all(...values)
      } catch (cause) {
        throw named(cause)
      }
    },
    run: (...values) => {
      try {
        one.statement.run(...values)
      } catch (cause) {
        throw named(cause)
      }
    },
  }
}

/** Runs the work after all operations queued before it. */
const inOrder = <Result>(state: FileState, work: () => Result | Promise<Result>): Promise<Result> => {
  const done = state.lastOperation.then(work)
  state.lastOperation = done.catch(() => undefined)
  return done
}

/**
 * Linux drops pages that it could not write: a later sync would succeed without them, and without all that follows in the
 * WAL.
 */
const syncOnce = async (state: FileState): Promise<void> => {
  try {
    await state.syncToDisk(current(state).walFile)
  } catch (error) {
    state.failure ??= error
  }
  if (state.failure !== undefined) throw state.failure
}

const syncWal = (state: FileState): Promise<void> => {
  if (state.isUnsynced) {
    state.isUnsynced = false
    state.lastSync = syncOnce(state)
  }
  return state.lastSync
}

/**
 * Copies the WAL into the file. SQLite's own order, with the syncs on another thread: the WAL is on disk before a page of the
 * file changes, and the file before the next write restarts the WAL, so that after a stop at any point the WAL has what the
 * file lacks. A failure loses nothing; the next write reports it, because nothing waits for a checkpoint.
 */
const runCheckpoint = async (state: FileState, statements: Statements): Promise<void> => {
  state.isCheckpointDue = false
  if (state.closing !== undefined) return
  try {
    await syncWal(state)
    await exclusiveTurn()
    const { database, file } = current(state)
    database.exec('PRAGMA synchronous = OFF')
    try {
      statements.checkpoint.all()
    } finally {
      database.exec('PRAGMA synchronous = NORMAL')
    }
    await state.syncToDisk(file)
    state.walBytes = 0
  } catch (error) {
    state.failure ??= error
  }
}

type Statements = Readonly<Record<'begin' | 'commit' | 'rollback' | 'checkpoint', SqliteStatement>>

const runTransaction = (
  state: FileState,
  statements: Statements,
  { rows, bytes, write }: { readonly rows: number; readonly bytes: number; readonly write: () => void },
): void => {
  if (state.failure !== undefined) throw state.failure
  statements.begin.run()
  try {
    write()
    statements.commit.run()
  } catch (error) {
    try {
      statements.rollback.run()
    } catch {
      // SQLite has rolled back by itself, as on a full disk: the first error is thrown.
    }
    throw error
  }
  state.isUnsynced = true
  state.walBytes += bytes + rows * ROW_BYTES
  if (state.walBytes >= CHECKPOINT_BYTES && !state.isCheckpointDue) {
    state.isCheckpointDue = true
    void inOrder(state, () => runCheckpoint(state, statements))
  }
}

const closeFiles = (state: FileState): void => {
  if (state.opened === undefined) return
  const { database, walFile, file } = state.opened
  const { path } = state.options
  // SQLite copies the WAL into the file and removes it; after a failure the file may not have all of it.
  const keepsWal = state.failure !== undefined
  if (keepsWal) keepWal(path)
  state.opened = undefined
  closeSync(walFile)
  try {
    if (keepsWal) closeWithWal(database, path)
    else database.close()
  } finally {
    // Last: closing any descriptor of a file releases the locks that the process holds on it.
    closeSync(file)
  }
}

/** Synchronous, so that no read finds the file closed. */
const reopen = (state: FileState): void => {
  closeFiles(state)
  state.opened = openDatabaseFile(state.openSqlite, state.options)
  const { database } = state.opened
  for (const one of state.prepared) one.statement = database.prepare(one.sql)
  // Writes all of the WAL once more, and syncs it: pages that the system could not write before count as written.
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  state.walBytes = 0
  state.isCheckpointDue = false
  state.isUnsynced = false
  state.lastSync = Promise.resolve()
  state.failure = undefined
}

const recover = async (state: FileState): Promise<void> => {
  await state.lastSync.catch(() => undefined)
  if (state.closing !== undefined) return
  await requireFreeSpace(state.options.path)
  if (state.failure !== undefined || state.opened === undefined) reopen(state)
}

const close = async (state: FileState): Promise<void> => {
  await state.lastSync.catch(() => undefined)
  state.isUnsynced = false
  closeFiles(state)
}

/**
 * @param syncToDisk resolves when what was written to the file with that descriptor is on disk
 * @throws SqliteFileError; SQLite's error for a locked file
 */
export const openSqliteFile = async (
  options: SqliteFileOptions,
  syncToDisk: (file: number) => Promise<void> = syncFile,
): Promise<SqliteFile> => {
  const openSqlite = await loadSqlite()
  const state: FileState = {
    options,
    openSqlite,
    syncToDisk,
    prepared: [],
    opened: openDatabaseFile(openSqlite, options),
    walBytes: 0,
    isCheckpointDue: false,
    isUnsynced: false,
    lastSync: Promise.resolve(),
    lastOperation: Promise.resolve(),
    lastWrite: Promise.resolve(),
    closing: undefined,
    failure: undefined,
  }
  const statements: Statements = {
    begin: prepare(state, 'BEGIN IMMEDIATE'),
    commit: prepare(state, 'COMMIT'),
    rollback: prepare(state, 'ROLLBACK'),
    checkpoint: prepare(state, 'PRAGMA wal_checkpoint(PASSIVE)'),
  }
  return {
    prepare: sql => prepare(state, sql),
    transaction: (rows, bytes, write) => {
      const done = inOrder(state, async () => {
        // Encoding the values has used this tick.
        if (bytes > LARGE_BYTES) await exclusiveTurn()
        runTransaction(state, statements, { rows, bytes, write })
      })
      state.lastWrite = state.lastOperation
      return done
    },
    // Does not wait for the checkpoint that the last write made due: the WAL has the data.
    sync: () => state.lastWrite.then(() => syncWal(state)),
    recover: () => inOrder(state, () => recover(state)),
    close: () => (state.closing ??= inOrder(state, () => close(state))),
  }
}
