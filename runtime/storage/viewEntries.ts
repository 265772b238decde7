import type { SqliteFile } from '../drivers/sqliteFile.ts'
import { pathOfNumber, unpackKey } from '../drivers/sqliteKeys.ts'
import { TRIE_RECORD } from '../drivers/sqlite.ts'

/** Rows read at once: some hundred kilobytes. */
const ROWS = 1_000

export type ViewEntry = { readonly key: string; readonly value: Uint8Array }

const NUMBERED: Readonly<Record<'header' | 'node', (id: number) => string>> = {
  header: id => `header:${id}`,
  node: id => TRIE_RECORD + pathOfNumber(id),
}

function* numbered(views: SqliteFile, table: keyof typeof NUMBERED): Generator<ViewEntry> {
  const read = views.prepare(`SELECT id, value FROM ${table} WHERE id > ? ORDER BY id LIMIT ${ROWS}`)
  for (let last = -1; ; ) {
    const rows = read.all(last)
    for (const row of rows)
      yield { key: NUMBERED[table](row['id'] as number), value: row['value'] as Uint8Array }
    if (rows.length < ROWS) return
    last = rows.at(-1)?.['id'] as number
  }
}

function* keyed(views: SqliteFile, table: 'flat' | 'entry'): Generator<ViewEntry> {
  const read = views.prepare(`SELECT key, value FROM ${table} WHERE key > ? ORDER BY key LIMIT ${ROWS}`)
  for (let last: Uint8Array = new Uint8Array(0); ; ) {
    const rows = read.all(last)
    for (const row of rows)
      yield { key: unpackKey(row['key'] as Uint8Array), value: row['value'] as Uint8Array }
    if (rows.length < ROWS) return
    last = rows.at(-1)?.['key'] as Uint8Array
  }
}

/** All stored entries of the views, table by table, in bounded memory. */
export function* viewEntries(views: SqliteFile): Generator<ViewEntry> {
  yield* numbered(views, 'header')
  yield* numbered(views, 'node')
  yield* keyed(views, 'flat')
  yield* keyed(views, 'entry')
}

/** The stored entries after these writes to the views; undefined for a removed entry. */
export function* entriesAfter(
  stored: Iterable<ViewEntry>,
  written: ReadonlyMap<string, Uint8Array | undefined>,
): Generator<ViewEntry> {
  for (const entry of stored) if (!written.has(entry.key)) yield entry
  for (const [key, value] of written) if (value !== undefined) yield { key, value }
}
