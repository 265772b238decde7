import type { Database } from 'bun:sqlite'
import type { DatabaseSync } from 'node:sqlite'

/** A value in a statement. */
export type SqliteValue = Uint8Array | string | number | null

export type SqliteStatement = {
  /** The first row; undefined if there is none. */
  get(...values: SqliteValue[]): Readonly<Record<string, unknown>> | undefined
  all(...values: SqliteValue[]): readonly Readonly<Record<string, unknown>>[]
  run(...values: SqliteValue[]): void
}

/** The part of SQLite that the drivers need, over `bun:sqlite` or `node:sqlite` (Node and Deno). Synchronous. */
export type SqliteDatabase = {
  exec(sql: string): void
  prepare(sql: string): SqliteStatement
  close(): void
}

/** Opens the database file, and creates it if it does not exist, unless it is only read. */
export type OpenSqlite = (path: string, access?: { readonly readOnly: boolean }) => SqliteDatabase

const loadBun = async (): Promise<OpenSqlite> => {
  const { Database } = await import('bun:sqlite')
  return (path, access) =>
    openBun(
      new Database(path, access?.readOnly === true ? { readonly: true } : { create: true, readwrite: true }),
    )
}

const openBun = (database: Database): SqliteDatabase => {
  // An open statement keeps the file open and locked.
  const statements: { finalize(): void }[] = []
  return {
    exec: sql => {
      database.run(sql)
    },
    prepare: sql => {
      const statement = database.prepare<Record<string, unknown>, SqliteValue[]>(sql)
      statements.push(statement)
      return {
        get: (...values) => statement.get(...values) ?? undefined,
        all: (...values) => statement.all(...values),
        run: (...values) => {
          statement.run(...values)
        },
      }
    },
    close: () => {
      for (const statement of statements) statement.finalize()
      database.close()
    },
  }
}

const loadNode = async (): Promise<OpenSqlite> => {
  const { DatabaseSync } = await import('node:sqlite')
  return (path, access) => {
    // The types know no `readOnly`, which Node has from 22.12 on, and Deno.
    const options = { open: true, readOnly: access?.readOnly === true }
    return openNode(new DatabaseSync(path, options))
  }
}

const openNode = (database: DatabaseSync): SqliteDatabase => {
  return {
    exec: sql => database.exec(sql),
    prepare: sql => {
      const statement = database.prepare(sql)
      return {
        get: (...values) => statement.get(...values) as Record<string, unknown> | undefined,
        all: (...values) => statement.all(...values) as Record<string, unknown>[],
        run: (...values) => {
          statement.run(...values)
        },
      }
    },
    close: () => database.close(),
  }
}

/** Loads the SQLite module of this runtime. */
export const loadSqlite = (): Promise<OpenSqlite> => ('Bun' in globalThis ? loadBun() : loadNode())

export const openSqliteDatabase = async (path: string): Promise<SqliteDatabase> => (await loadSqlite())(path)

const BUSY = 5

/** True if another process, or another connection, has locked the file. */
export const isBusy = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false
  const { code, errcode } = error as Error & { readonly code?: unknown; readonly errcode?: unknown }
  if (errcode === BUSY || code === 'SQLITE_BUSY') return true
  // Deno gives the reason in the message only.
  return code === 'ERR_SQLITE_ERROR' && error.message.startsWith('database is locked')
}

/** The base codes of a damaged file and of one that is no database. */
const CORRUPT = 11
const NOT_A_DATABASE = 26

/** True if SQLite finds the content of the file damaged; false for any other failure, as of the disk. */
export const isDamaged = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false
  const { errno, errcode } = error as Error & { readonly errno?: unknown; readonly errcode?: unknown }
  for (const code of [errno, errcode])
    if (typeof code === 'number' && [CORRUPT, NOT_A_DATABASE].includes(code & 255)) return true
  // Deno gives the reason in the message only.
  return /^(?:database disk image is malformed|file is not a database)/.test(error.message)
}
