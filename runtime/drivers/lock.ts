import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { isBusy, openSqliteDatabase } from './sqliteDatabase.ts'
import { SqliteFileError } from './databaseFile.ts'

const LOCK_FILE = 'lock.sqlite'
const PROCESS_FILE = 'lock.pid'

export type DataPathLock = { release(): void }

/** Keeps every lock reachable: a collected database would be closed and would release the data path. */
const held = new Set<unknown>()

const holderOf = (path: string): string => {
  try {
    return ` (process ${readFileSync(join(path, PROCESS_FILE), 'utf8').trim()})`
  } catch {
    // The number is for the message only; the lock is the other file.
    return ''
  }
}

/**
 * Locks the data path for this process, and creates the folder if needed. The lock is the operating system's, on an empty
 * SQLite database, the same on every runtime: it ends with the process, however that ends, and is never stale.
 * @throws DataPathInUse if another node has locked it; SqliteFileError
 */
export const lockDataPath = async (path: string): Promise<DataPathLock> => {
  mkdirSync(path, { recursive: true })
  const file = join(path, LOCK_FILE)
  const database = await openSqliteDatabase(file).catch((error: unknown) => {
    throw new SqliteFileError(file, error)
  })
  try {
    database.exec('PRAGMA busy_timeout = 0')
    // Nothing is ever written, so no journal is needed.
    database.exec('PRAGMA journal_mode = OFF')
    database.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    database.close()
    throw isBusy(error) ? new DataPathInUse(path, holderOf(path)) : new SqliteFileError(file, error)
  }
  writeFileSync(join(path, PROCESS_FILE), `${process.pid}\n`)
  held.add(database)
  return {
    release: () => {
      if (!held.delete(database)) return
      rmSync(join(path, PROCESS_FILE), { force: true })
      database.close()
    },
  }
}

export class DataPathInUse extends Error {
  override readonly name = 'DataPathInUse'
  readonly code = 'DATA_PATH_IN_USE'
  constructor(path: string, holder: string) {
    super(
      `the data path ${path} is in use by another node${holder}; stop that one or choose another --data-path`,
    )
  }
}
