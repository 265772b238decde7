import { closeSync, fdatasync } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import {
  closeWithWal,
  keepWal,
  type OpenedDatabase,
  openDatabaseFile,
  type SqliteFileOptions,
} from './databaseFile.ts'
import { nextTurn } from '../schedule.ts'
import { loadSqlite, type SqliteStatement } from './sqliteDatabase.ts'

/** WAL bytes after which a checkpoint is due: copying 500 pages takes 2 to 9 ms, and fewer would sync the file too often. */
const CHECKPOINT_BYTES = 2 * 1024 * 1024
/** So many bytes take some milliseconds to write. */
const LARGE_BYTES = 256 * 1024
/** What one row costs in the WAL beside its bytes: about the page of the index that it changes. */
const ROW_BYTES = 4096

/** One SQLite file in WAL mode that this process alone has open. Writes are made in the order they are asked for. */
export type SqliteFile = {
  prepare(sql: string): SqliteStatement
  /**
   * Runs the writes in one transaction; `bytes` and `rows` are what they write. When it resolves readers find them; they stay in
   * order, and are durable after `sync`. Nothing of it stays when it rejects.
   */
  transaction(rows: number, bytes: number, write: () => void): Promise<void>
  /** Resolves when every transaction before it would survive a power cut. After one that failed all fail, and no more is written. */
  sync(): Promise<void>
  /**
   * Opens the file anew after a failed sync or checkpoint, so that writes go on: what was durable is there, later transactions may be
   * lost. Rejects, and changes nothing, while there is no room on the disk. Does nothing where only writes have failed.
   */
  recover(): Promise<void>
  close(): Promise<void>
}

/** What a file that is opened anew may need at once: the WAL of two checkpoints. */
const ROOM_BYTES = 2 * CHECKPOINT_BYTES

/** @throws what the system says when so much cannot be written beside the file */
const requireRoom = async (path: string): Promise<void> => {
  const probe = `${path}-room`
  try {
    const file = await open(probe, 'w')
    try {
      await file.writeFile(new Uint8Array(ROOM_BYTES))
      await file.datasync()
    } finally {
      await file.close()
    }
  } finally {
    await rm(probe, { force: true })
  }
}

/** A statement that stays usable when the database is opened anew. */
type Prepared = { readonly sql: string; statement: SqliteStatement }

/** On another thread: what SQLite itself does would hold up everything else for as long as the disk takes. */
const syncFile = (file: number): Promise<void> =>
  new Promise((resolve, reject) => {
    fdatasync(file, error => (error === null ? resolve() : reject(error)))
  })

/**
 * @param syncToDisk resolves when what was written to the file with that descriptor is on the disk
 * @throws SqliteFileError; what SQLite throws for a file that is locked
 */
export const openSqliteFile = async (
  options: SqliteFileOptions,
  syncToDisk: (file: number) => Promise<void> = syncFile,
): Promise<SqliteFile> => {
  const openSqlite = await loadSqlite()
  let opened: OpenedDatabase | undefined = openDatabaseFile(openSqlite, options)
  const prepared: Prepared[] = []

  /** @throws Error while the file could not be opened anew */
  const current = (): OpenedDatabase => {
    if (opened === undefined) throw new Error(`${options.path} is closed after a failed write`)
    return opened
  }
  const prepare = (sql: string): SqliteStatement => {
    const one: Prepared = { sql, statement: current().database.prepare(sql) }
    prepared.push(one)
    return {
      get: (...values) => one.statement.get(...values),
      all: (...values) => one.statement.all(...values),
      run: (...values) => one.statement.run(...values),
    }
  }
  const begin = prepare('BEGIN IMMEDIATE')
  const commit = prepare('COMMIT')
  const rollback = prepare('ROLLBACK')
  const checkpointStatement = prepare('PRAGMA wal_checkpoint(PASSIVE)')
  let walBytes = 0
  let isDue = false
  let unsynced = false
  let lastSync: Promise<void> = Promise.resolve()
  let last: Promise<unknown> = Promise.resolve()
  let lastWrite: Promise<unknown> = Promise.resolve()
  let closing: Promise<void> | undefined
  /** What broke the file: from then on each write and each sync fails with it. */
  let failure: unknown

  /** Runs it when all that was asked for before is done. */
  const inOrder = <Result>(work: () => Result | Promise<Result>): Promise<Result> => {
    const done = last.then(work)
    last = done.catch(() => undefined)
    return done
  }

  /** Linux forgets what it could not write: a later sync would succeed with that missing, and with it all that follows in the WAL. */
  const syncOnce = async (): Promise<void> => {
    try {
      await syncToDisk(current().walFile)
    } catch (error) {
      failure ??= error
    }
    if (failure !== undefined) throw failure
  }
  const syncWal = (): Promise<void> => {
    if (unsynced) {
      unsynced = false
      lastSync = syncOnce()
    }
    return lastSync
  }

  /**
   * Copies the WAL into the file. SQLite's own order, with the syncs on another thread: the WAL is on the disk before a page of
   * the file changes, and the file before the next write begins the WAL anew, so that after a stop at any point the WAL has
   * what the file lacks. Nothing is lost when it fails; the next write tells, because nobody waits for this.
   */
  const checkpoint = async (): Promise<void> => {
    isDue = false
    if (closing !== undefined) return
    try {
      await syncWal()
      await nextTurn()
      const { database, file } = current()
      database.exec('PRAGMA synchronous = OFF')
      try {
        checkpointStatement.all()
      } finally {
        database.exec('PRAGMA synchronous = NORMAL')
      }
      await syncToDisk(file)
      walBytes = 0
    } catch (error) {
      failure ??= error
    }
  }

  const runTransaction = (rows: number, bytes: number, write: () => void): void => {
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
    unsynced = true
    walBytes += bytes + rows * ROW_BYTES
    if (walBytes >= CHECKPOINT_BYTES && !isDue) {
      isDue = true
      void inOrder(checkpoint)
    }
  }

  const closeFiles = (): void => {
    if (opened === undefined) return
    const { database, walFile, file } = opened
    // SQLite itself brings the WAL into the file and removes it, but not where the file may not have got it all.
    const keepsWal = failure !== undefined
    if (keepsWal) keepWal(options.path)
    opened = undefined
    closeSync(walFile)
    try {
      if (keepsWal) closeWithWal(database, options.path)
      else database.close()
    } finally {
      // Last: closing any descriptor of a file lets go of the locks that the process has on it.
      closeSync(file)
    }
  }

  /** In one turn: nobody reads in between. */
  const reopen = (): void => {
    closeFiles()
    opened = openDatabaseFile(openSqlite, options)
    const { database } = opened
    for (const one of prepared) one.statement = database.prepare(one.sql)
    // Writes all of the WAL once more, and syncs it: what the system could not write before it counts as written.
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    walBytes = 0
    isDue = false
    unsynced = false
    lastSync = Promise.resolve()
    failure = undefined
  }

  return {
    prepare,
    transaction: (rows, bytes, write) => {
      const done = inOrder(async () => {
        // What is written was encoded in this one.
        if (bytes > LARGE_BYTES) await nextTurn()
        runTransaction(rows, bytes, write)
      })
      lastWrite = last
      return done
    },
    // Not behind the checkpoint that the last write made due: the WAL has it.
    sync: () => lastWrite.then(syncWal),
    recover: () =>
      inOrder(async () => {
        await lastSync.catch(() => undefined)
        if (closing !== undefined) return
        await requireRoom(options.path)
        if (failure !== undefined || opened === undefined) reopen()
      }),
    close: () => {
      closing ??= inOrder(async () => {
        await lastSync.catch(() => undefined)
        unsynced = false
        closeFiles()
      })
      return closing
    },
  }
}
