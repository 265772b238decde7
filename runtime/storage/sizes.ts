import type { SqliteFile } from '../drivers/sqliteFile.ts'

/** The files of a chain; the views may be missing. */
export type ChainFiles = { readonly segments: SqliteFile; readonly views: SqliteFile | undefined }

/** Bytes of the values and keys of one kind of entries. */
export type KindSize = { readonly kind: string; readonly count: number; readonly bytes: number }

/** What the first letters of a key in the views stand for (core/store/keys.ts). */
const KINDS: Readonly<Record<string, string>> = {
  a: 'accounts with recent history',
  s: 'storage slots with recent history',
  h: 'older history of accounts and slots',
  n: 'trie nodes',
  c: 'code',
  cl: 'code',
  cp: 'code',
  b: 'index of block hashes',
  t: 'index of transactions',
  logs: 'index of logs',
}

/** Kinds that are removed with the blocks of a pruned history. */
const REMOVED_KINDS: ReadonlySet<string> = new Set([
  'block records',
  'older history of accounts and slots',
  'index of transactions',
  'index of logs',
])

/** Kinds that grow with each block and are not removed with it. */
const KEPT_KINDS: ReadonlySet<string> = new Set(['headers', 'index of block hashes'])

const bytesIn = (kinds: readonly KindSize[]): number => kinds.reduce((sum, { bytes }) => sum + bytes, 0)

/**
 * Bytes of all files for each byte of block records, and bytes of a block that stay when it is removed. With `isPruned` only
 * what goes with the blocks counts for the first: state stays, and would count for the few records that are left.
 */
export const perBlockSizes = (
  kinds: readonly KindSize[],
  isPruned: boolean,
): { readonly filesPerRecord: number; readonly keptPerBlock: number } => {
  const records = bytesIn(kinds.filter(({ kind }) => kind === 'block records'))
  const counted = isPruned ? kinds.filter(({ kind }) => REMOVED_KINDS.has(kind)) : kinds
  const kept = kinds.filter(({ kind }) => KEPT_KINDS.has(kind))
  const headers = kinds.find(({ kind }) => kind === 'headers')?.count ?? 0
  return {
    filesPerRecord: records === 0 ? 1 : Math.max(1, bytesIn(counted) / records),
    keptPerBlock: headers === 0 ? 0 : bytesIn(kept) / headers,
  }
}

const sizesOf = (file: SqliteFile, sql: string, kindOf: (name: string) => string): readonly KindSize[] =>
  file
    .prepare(sql)
    .all()
    .map(row => ({
      kind: kindOf(String(row['name'])),
      count: Number(row['count']),
      bytes: Number(row['bytes'] ?? 0),
    }))

const numbered = (table: string): string =>
  `SELECT '${table}' AS name, count(*) AS count, sum(length(value) + 8) AS bytes FROM ${table}`

/** Keys begin with a word and a colon. */
const keyed = (table: string): string =>
  `SELECT CAST(substr(key, 1, instr(key, x'3a') - 1) AS TEXT) AS name, count(*) AS count, sum(length(key) + length(value)) AS bytes FROM ${table} GROUP BY 1`

const sizesOfViews = (views: SqliteFile): readonly KindSize[] => [
  ...sizesOf(views, numbered('header'), () => 'headers'),
  ...sizesOf(views, numbered('node'), () => 'trie nodes'),
  ...sizesOf(views, keyed('flat'), name => KINDS[name] ?? 'other'),
  ...sizesOf(views, keyed('entry'), name => KINDS[name] ?? 'other'),
]

/** The sizes of all kinds, the largest first. Free pages and the inner pages of the trees are not in them. */
export const sizesByKind = ({ segments, views }: ChainFiles): readonly KindSize[] => {
  const all = [
    ...sizesOf(segments, numbered('segment'), () => 'block records'),
    ...sizesOf(segments, numbered('part'), () => 'block records'),
    ...(views === undefined ? [] : sizesOfViews(views)),
  ]
  const byKind = new Map<string, KindSize>()
  for (const { kind, count, bytes } of all) {
    const known = byKind.get(kind)
    byKind.set(kind, { kind, count: count + (known?.count ?? 0), bytes: bytes + (known?.bytes ?? 0) })
  }
  return [...byKind.values()].filter(({ count }) => count > 0).sort((a, b) => b.bytes - a.bytes)
}

/** Bytes of the records of blocks `first` to `last`, with their parts. */
export const recordBytes = (
  { segments }: Pick<ChainFiles, 'segments'>,
  first: number,
  last: number,
): number => {
  const whole = segments
    .prepare('SELECT sum(length(value)) AS bytes FROM segment WHERE id BETWEEN ? AND ?')
    .get(first, last)
  const parts = segments
    .prepare('SELECT sum(length(value)) AS bytes FROM part WHERE id >= ? AND id < ?')
    .get(first * 2 ** 20, (last + 1) * 2 ** 20)
  return Number(whole?.['bytes'] ?? 0) + Number(parts?.['bytes'] ?? 0)
}

const freeIn = (file: SqliteFile): number => {
  const read = (name: string): number =>
    Number(file.prepare(`SELECT ${name} AS n FROM pragma_${name}`).get()?.['n'] ?? 0)
  return read('freelist_count') * read('page_size')
}

/** Bytes of pages that removed entries have freed. The files keep their length, and use these pages first. */
export const freeBytes = ({ segments, views }: ChainFiles): number =>
  freeIn(segments) + (views === undefined ? 0 : freeIn(views))
