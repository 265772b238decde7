import type { Database } from 'bun:sqlite'
import type { DatabaseSync } from 'node:sqlite'

/** What a value can be in a statement. */
export type SqliteValue = Uint8Array | string | number | null

export type SqliteStatement = {
  /** The first row, undefined when there is none. */
  get(...values: SqliteValue[]): Readonly<Record<string, unknown>> | undefined
  all(...values: SqliteValue[]): readonly Readonly<Record<string, unknown>>[]
  run(...values: SqliteValue[]): void
}

/** The little of SQLite that the drivers need, the same over `bun:sqlite` and `node:sqlite` (Node and Deno). Synchronous. */
export type SqliteDatabase = {
  exec(sql: string): void
  prepare(sql: string): SqliteStatement
  close(): void
}

/** Opens the database file, and makes it when it is not there. */
export type OpenSqlite = (path: string) => SqliteDatabase

const loadBun = async (): Promise<OpenSqlite> => {
  const { Database } = await import('bun:sqlite')
  return path => openBun(new Database(path, { create: true, readwrite: true }))
}

const openBun = (database: Database): SqliteDatabase => {
  // The file stays open, and locked, for as long as a statement is.
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
  return path => openNode(new DatabaseSync(path))
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

/** Loads nothing of the runtime that it does not run on. */
export const loadSqlite = (): Promise<OpenSqlite> => ('Bun' in globalThis ? loadBun() : loadNode())

export const openSqliteDatabase = async (path: string): Promise<SqliteDatabase> => (await loadSqlite())(path)

const BUSY = 5

/** True when another process, or another connection, has the file locked. */
export const isBusy = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false
  const { code, errcode } = error as Error & { readonly code?: unknown; readonly errcode?: unknown }
  if (errcode === BUSY || code === 'SQLITE_BUSY') return true
  // Deno tells the reason in the message alone.
  return code === 'ERR_SQLITE_ERROR' && error.message.startsWith('database is locked')
}
