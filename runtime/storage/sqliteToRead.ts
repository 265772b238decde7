import { existsSync, rmSync, statSync } from 'node:fs'
import {
  requireTables,
  restoreWal,
  SqliteFileError,
  type SqliteFileOptions,
} from '../drivers/databaseFile.ts'
import {
  isBusy,
  isDamaged,
  loadSqlite,
  type SqliteDatabase,
  type SqliteStatement,
} from '../drivers/sqliteDatabase.ts'
import type { SqliteFile } from '../drivers/sqliteFile.ts'

/** What SQLite makes to read a file in WAL mode, as far as nothing of the chain is in it. */
const madeBeside = (path: string): (() => void) => {
  const [wal, memory] = [`${path}-wal`, `${path}-shm`]
  const [hadWal, hadMemory] = [existsSync(wal), existsSync(memory)]
  return () => {
    if (!hadWal && existsSync(wal) && statSync(wal).size === 0) rmSync(wal)
    if (!hadMemory) rmSync(memory, { force: true })
  }
}

const refuse = async (): Promise<void> => {
  throw new Error('the file was opened to read')
}

/**
 * Opens a file that no process has open, and changes nothing of it: a log that a killed process left is read, and stays.
 * @throws SqliteFileError; SQLite's error for a locked file
 */
export const openSqliteFileToRead = async (options: SqliteFileOptions): Promise<SqliteFile> => {
  const { path, cacheBytes } = options
  const openSqlite = await loadSqlite()
  restoreWal(path)
  const removeMade = madeBeside(path)
  let database: SqliteDatabase | undefined
  const close = (): void => {
    database?.close()
    database = undefined
    removeMade()
  }
  try {
    database = openSqlite(path, { readOnly: true })
    database.exec('PRAGMA busy_timeout = 0')
    database.exec(`PRAGMA cache_size = ${-Math.ceil(cacheBytes / 1024)}`)
    requireTables(database, options)
  } catch (error) {
    close()
    throw isBusy(error) ? error : new SqliteFileError(path, error)
  }
  const opened = database
  const named = <Result>(read: () => Result): Result => {
    try {
      return read()
    } catch (cause) {
      throw isDamaged(cause) ? new SqliteFileError(path, cause, 'read') : cause
    }
  }
  return {
    prepare: (sql): SqliteStatement => {
      const statement = named(() => opened.prepare(sql))
      return {
        get: (...values) => named(() => statement.get(...values)),
        all: (...values) => named(() => statement.all(...values)),
        run: (...values) => named(() => statement.run(...values)),
      }
    },
    transaction: refuse,
    sync: refuse,
    recover: refuse,
    close: async () => close(),
  }
}
