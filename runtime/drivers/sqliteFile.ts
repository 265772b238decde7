import { closeSync, fdatasync } from 'node:fs'
import { closeWithWal, openDatabaseFile, type SqliteFileOptions } from './databaseFile.ts'
import { nextTurn } from '../slice.ts'
import type { SqliteStatement } from './sqliteDatabase.ts'

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
  close(): Promise<void>
}

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
  const { database, walFile, file } = await openDatabaseFile(options)
  const begin = database.prepare('BEGIN IMMEDIATE')
  const commit = database.prepare('COMMIT')
  const rollback = database.prepare('ROLLBACK')
  const checkpointStatement = database.prepare('PRAGMA wal_checkpoint(PASSIVE)')
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
      await syncToDisk(walFile)
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

  return {
    prepare: sql => database.prepare(sql),
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
    close: () => {
      closing ??= inOrder(async () => {
        await lastSync.catch(() => undefined)
        unsynced = false
        closeSync(walFile)
        // SQLite itself brings the WAL into the file and removes it, but not where the file may not have got it all.
        if (failure === undefined) database.close()
        else closeWithWal(database, options.path)
        // Last: closing any descriptor of a file lets go of the locks that the process has on it.
        closeSync(file)
      })
      return closing
    },
  }
}
