import { type Address, equalBytes, type Hash } from '../../core/bytes/bytes.ts'
import type { AccountIndex, TransactionPlace } from '../../handlers/rpc/ots/accountIndex.ts'
import { openSqliteDatabase, type SqliteDatabase, type SqliteStatement } from '../drivers/sqliteDatabase.ts'

/** A transaction as the index sees it. */
export type IndexedTransaction = TransactionPlace & {
  readonly from: Address
  readonly to: Address | undefined
  /** The contract that it created. */
  readonly created: Address | undefined
}

export type IndexTables = AccountIndex & {
  /** The first block that is not indexed. */
  next(): bigint
  /** Adds the transactions of the blocks below `next`, all or none. */
  add(transactions: readonly IndexedTransaction[], next: bigint): void
  /** Deletes block `from` and all later ones. */
  truncate(from: bigint): void
  close(): void
}

/** Transactions of a block: its number and the index share one integer of 53 bits. */
const INDEXES = 2 ** 20

const SCHEMA = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  CREATE TABLE IF NOT EXISTS entries (address BLOB, place INTEGER, PRIMARY KEY (address, place)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS creators (address BLOB PRIMARY KEY, place INTEGER) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS progress (id INTEGER PRIMARY KEY CHECK (id = 0), genesis BLOB, next INTEGER);
`

const placeOf = (block: bigint, index: number): number => Number(block) * INDEXES + index

const transactionAt = (row: Readonly<Record<string, unknown>>): TransactionPlace => {
  const place = row['place'] as number
  return { block: BigInt(Math.floor(place / INDEXES)), index: place % INDEXES }
}

/** An index of another chain is dropped. */
const prepareProgress = (database: SqliteDatabase, genesis: Hash): void => {
  const found = database.prepare('SELECT genesis FROM progress').get()
  if (found !== undefined && !equalBytes(new Uint8Array(found['genesis'] as Uint8Array), genesis))
    database.exec('DELETE FROM entries; DELETE FROM creators; DELETE FROM progress')
  database.prepare('INSERT OR IGNORE INTO progress VALUES (0, ?, 0)').run(genesis)
}

const inTransaction = (database: SqliteDatabase, write: () => void): void => {
  database.exec('BEGIN')
  try {
    write()
    database.exec('COMMIT')
  } catch (error) {
    database.exec('ROLLBACK')
    throw error
  }
}

type Inserts = { readonly entry: SqliteStatement; readonly creator: SqliteStatement }

const addTransaction = (insert: Inserts, { block, index, from, to, created }: IndexedTransaction): void => {
  const place = placeOf(block, index)
  for (const address of [from, to, created]) if (address !== undefined) insert.entry.run(address, place)
  if (created !== undefined) insert.creator.run(created, place)
}

/** The part of the tables that reads. */
const readsOf = (database: SqliteDatabase): AccountIndex => {
  const before = database.prepare(
    'SELECT place FROM entries WHERE address = ? AND place < ? ORDER BY place DESC LIMIT ?',
  )
  const after = database.prepare(
    'SELECT place FROM entries WHERE address = ? AND place >= ? ORDER BY place LIMIT ?',
  )
  const within = database.prepare(
    'SELECT place FROM entries WHERE address = ? AND place >= ? AND place < ? ORDER BY place DESC',
  )
  const creator = database.prepare('SELECT place FROM creators WHERE address = ?')
  return {
    before: (address, block, limit) => before.all(address, placeOf(block, 0), limit).map(transactionAt),
    after: (address, block, limit) => after.all(address, placeOf(block + 1n, 0), limit).map(transactionAt),
    inBlock: (address, block) =>
      within.all(address, placeOf(block, 0), placeOf(block + 1n, 0)).map(transactionAt),
    creator: address => {
      const row = creator.get(address)
      return row === undefined ? undefined : transactionAt(row)
    },
  }
}

/** Opens the tables of the index for the chain with that first block, and creates them if they are missing. */
export const openIndexTables = async (path: string, genesis: Hash): Promise<IndexTables> => {
  const database = await openSqliteDatabase(path)
  database.exec(SCHEMA)
  prepareProgress(database, genesis)
  const next = database.prepare('SELECT next FROM progress')
  const setNext = database.prepare('UPDATE progress SET next = ?')
  const insert: Inserts = {
    entry: database.prepare('INSERT OR IGNORE INTO entries VALUES (?, ?)'),
    // A contract may be created again after it destroyed itself.
    creator: database.prepare('INSERT OR REPLACE INTO creators VALUES (?, ?)'),
  }
  const readNext = (): bigint => BigInt(next.get()?.['next'] as number)
  return {
    ...readsOf(database),
    next: readNext,
    add: (transactions, end) =>
      inTransaction(database, () => {
        for (const transaction of transactions) addTransaction(insert, transaction)
        setNext.run(Number(end))
      }),
    truncate: from => {
      if (readNext() <= from) return
      inTransaction(database, () => {
        database.prepare('DELETE FROM entries WHERE place >= ?').run(placeOf(from, 0))
        database.prepare('DELETE FROM creators WHERE place >= ?').run(placeOf(from, 0))
        setNext.run(Number(from))
      })
    },
    close: () => database.close(),
  }
}
