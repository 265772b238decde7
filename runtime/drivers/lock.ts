import { existsSync, mkdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import process from 'node:process'
import { isBusy, openSqliteDatabase } from './sqliteDatabase.ts'
import { SqliteFileError } from './databaseFile.ts'

const LOCK_FILE = 'lock.sqlite'
const PROCESS_FILE = 'lock.pid'

export type DataPathLock = {
  release(): void
  /** As `release`, and removes what the lock has made: its file, and the folders while they are empty. */
  undo(): void
}

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

/** Removes the empty folders from `path` up to `first`. */
const removeEmpty = (path: string, first: string): void => {
  try {
    for (let at = path; at.startsWith(first); at = dirname(at)) rmdirSync(at)
  } catch {
    // It has files, or another process has removed it.
  }
}

/**
 * Locks the data path for this process, and creates the folder if needed. The lock is the operating system's, on an empty
 * SQLite database, the same on every runtime: it ends with the process, however that ends, and is never stale.
 * @throws DataPathInUse if another node has locked it; SqliteFileError
 */
export const lockDataPath = async (path: string): Promise<DataPathLock> => {
  const firstMade = mkdirSync(path, { recursive: true })
  const file = join(path, LOCK_FILE)
  const isNew = !existsSync(file)
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
  const release = (removesFile: boolean): void => {
    if (!held.delete(database)) return
    rmSync(join(path, PROCESS_FILE), { force: true })
    // While it is still locked: another process that has opened it finds it so.
    if (removesFile) rmSync(file, { force: true })
    database.close()
  }
  return {
    release: () => release(false),
    undo: () => {
      release(isNew)
      if (firstMade !== undefined) removeEmpty(resolve(path), resolve(firstMade))
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
