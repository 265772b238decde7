import type { Hash } from '../../bytes/bytes.ts'
import { fromHex, toBareHex } from '../../bytes/hex.ts'
import { verifiedValue, withChecksum } from '../checksum.ts'
import { codeEntries } from '../segments/codeParts.ts'
import { encodeChainHead } from '../codec/chainHead.ts'
import { encodeVarints } from '../codec/writer.ts'
import { clearJournal, writeJournal } from './flushJournal.ts'
import type { KeyValueEntry, KeyValueStore } from '../keyvalue/keyvalue.ts'
import { sortedKeys } from '../keyvalue/keyOrder.ts'
import { headerKey, nodeKey, transactionKey } from '../keys.ts'
import { type Memtable, locationOf } from './memtable.ts'
import { FLUSH_SLICE_BYTES, FLUSH_SLICE_ENTRIES } from '../limits.ts'
import { type FlushedHeight, writeFlushedHeight } from './flushedHeight.ts'
import type { Versions } from '../views/versions.ts'
import { type StateRecord, updateStateRecord } from '../views/stateRecord.ts'
import type { StateKind, Views } from '../views/views.ts'

export const entryOf = (key: string, value: Uint8Array | undefined): KeyValueEntry => ({
  key,
  value: value === undefined ? undefined : withChecksum(key, value),
})

/** The records of these keys in the views, read from the cache where possible. @throws StoreCorruption */
export const currentRecords = async <Value>(
  kv: KeyValueStore,
  flushedHeight: number,
  { cache, absent }: StateKind<Value>,
  keys: readonly string[],
): Promise<readonly StateRecord[]> => {
  const verified = (key: string, stored: Uint8Array | undefined): StateRecord =>
    stored === undefined ? absent : verifiedValue(key, stored, flushedHeight)
  const { getSync, getMany } = kv
  if (getSync !== undefined) return keys.map(key => cache.get(key) ?? verified(key, getSync(key)))
  if (getMany !== undefined) {
    const known = keys.map(key => cache.get(key))
    const missing = keys.filter((_, index) => known[index] === undefined)
    const values = missing.length === 0 ? [] : await getMany(missing)
    let next = 0
    return keys.map((key, index) => known[index] ?? verified(key, values[next++]))
  }
  return Promise.all(keys.map(async key => cache.get(key) ?? verified(key, await kv.get(key))))
}

/** Adds entries for the records of the changed accounts or slots, each after the history pages that became full. */
const prepareState = async <Value>(
  kv: KeyValueStore,
  views: Views,
  kind: StateKind<Value>,
  versions: Versions<Value>,
  start: number,
  entries: KeyValueEntry[],
  pages: Map<string, Uint8Array>,
): Promise<ReadonlyMap<string, StateRecord>> => {
  const updatedRecords = new Map<string, StateRecord>()
  const keys = await sortedKeys(kv, versions.keys())
  for (let at = 0; at < keys.length; at += FLUSH_SLICE_ENTRIES) {
    const slice = keys.slice(at, at + FLUSH_SLICE_ENTRIES)
    const records = await currentRecords(kv, views.flushedHeight, kind, slice)
    slice.forEach((key, index) => {
      const { value, changes } = versions.historyOf(key)
      const record = records[index] as StateRecord
      const updated = updateStateRecord(key, kind.codec, record, value, changes, start)
      for (const page of updated.pages) {
        pages.set(page.key, page.value)
        entries.push(entryOf(page.key, page.value))
      }
      updatedRecords.set(key, updated.record)
      entries.push(entryOf(key, updated.record))
    })
    await kv.pause()
  }
  return updatedRecords
}

/** Bytes that an entry counts besides its value, so that a slice has no more than FLUSH_SLICE_ENTRIES. */
const ENTRY_BYTES = FLUSH_SLICE_BYTES / FLUSH_SLICE_ENTRIES

type Others = 'nodes' | 'blockNumbers' | 'transactions'

function* digitsOf(hashes: Iterable<Hash>): Generator<string> {
  for (const hash of hashes) yield toBareHex(hash)
}

/** The keys in order, because sorted writes touch fewer pages of a B-tree; transactions by the hex digits of their hash. */
const orderOf = async (
  kv: KeyValueStore,
  memtable: Memtable,
): Promise<Record<Others, readonly string[]>> => ({
  nodes: await sortedKeys(kv, memtable.nodes.keys()),
  blockNumbers: await sortedKeys(kv, memtable.blockNumbers.keys()),
  transactions: await sortedKeys(kv, digitsOf(memtable.transactions.hashes())),
})

/** The entries of a memtable besides accounts, slots and their history. */
function* otherEntries(
  memtable: Memtable,
  order: Awaited<ReturnType<typeof orderOf>>,
): Generator<KeyValueEntry> {
  for (const name of order.nodes) yield entryOf(nodeKey(name), memtable.nodes.get(name))
  for (const [key, code] of memtable.codes) yield* codeEntries(key, code)
  for (const head of memtable.heads)
    yield entryOf(headerKey(Number(head.header.number)), encodeChainHead(head))
  for (const key of order.blockNumbers)
    yield entryOf(key, encodeVarints(memtable.blockNumbers.get(key) as number))
  for (const digits of order.transactions)
    yield entryOf(
      transactionKey(digits),
      encodeVarints(...locationOf(memtable.transactions.get(fromHex(digits)) as number)),
    )
}

/** Writes in slices of bounded size and pauses after each. */
export const writeEntries = async (kv: KeyValueStore, entries: readonly KeyValueEntry[]): Promise<void> => {
  let slice: KeyValueEntry[] = []
  let bytes = 0
  for (const entry of entries) {
    slice.push(entry)
    bytes += entry.value?.length ?? 0
    if (slice.length < FLUSH_SLICE_ENTRIES && bytes < FLUSH_SLICE_BYTES) continue
    await kv.set(slice)
    await kv.pause()
    slice = []
    bytes = 0
  }
  if (slice.length > 0) await kv.set(slice)
}

const inSlices = async <Item>(
  kv: KeyValueStore,
  items: Iterable<Item>,
  take: (item: Item) => void,
): Promise<void> => {
  let taken = 0
  for (const item of items) {
    take(item)
    if (++taken % FLUSH_SLICE_ENTRIES === 0) await kv.pause()
  }
}

/** The writes that bring the views up to the last block of a memtable. */
export type PreparedFlush = {
  readonly accounts: ReadonlyMap<string, StateRecord>
  readonly slots: ReadonlyMap<string, StateRecord>
  readonly pages: ReadonlyMap<string, Uint8Array>
  /** All entries in their stored form. */
  readonly entries: readonly KeyValueEntry[]
}

/**
 * Reads the records that the memtable changes and computes their new values; writes nothing.
 * @param start the first block whose changes are kept
 */
export const prepareFlush = async (
  kv: KeyValueStore,
  views: Views,
  memtable: Memtable,
  start = 0,
): Promise<PreparedFlush> => {
  const entries: KeyValueEntry[] = []
  const pages = new Map<string, Uint8Array>()
  const accounts = await prepareState(kv, views, views.accounts, memtable.accounts, start, entries, pages)
  const slots = await prepareState(kv, views, views.slots, memtable.slots, start, entries, pages)
  let bytes = 0
  for (const entry of otherEntries(memtable, await orderOf(kv, memtable))) {
    entries.push(entry)
    bytes += ENTRY_BYTES + (entry.value?.length ?? 0)
    if (bytes < FLUSH_SLICE_BYTES) continue
    await kv.pause()
    bytes = 0
  }
  return { accounts, slots, pages, entries }
}

/** The entries of a memtable that never change once they are written: codes, headers, block and transaction hashes. */
export const immutableEntries = async (
  kv: KeyValueStore,
  memtable: Memtable,
): Promise<readonly KeyValueEntry[]> => {
  const { blockNumbers, transactions } = await orderOf(kv, memtable)
  return [...otherEntries(memtable, { nodes: [], blockNumbers, transactions })]
}

/** Puts the flushed values into the caches of the views. */
export const cacheFlushed = async (
  kv: KeyValueStore,
  views: Views,
  memtable: Memtable,
  { accounts, slots }: PreparedFlush,
): Promise<void> => {
  await inSlices(kv, accounts, ([key, record]) => views.accounts.cache.set(key, record))
  await inSlices(kv, slots, ([key, record]) => views.slots.cache.set(key, record))
  await inSlices(kv, memtable.nodes, ([name, value]) => views.cacheNode(nodeKey(name), value))
}

export type Flush = {
  /** The height of the memtable's last block. */
  readonly flushedHeight: FlushedHeight
  /**
   * Resolves when the views have reached the height. After a failure, another call continues with the failed step; until
   * then, readers find the values of a partly written view in memory.
   */
  run(): Promise<void>
}

/**
 * Brings the views up to `flushedHeight`, the last block of the memtable. Writes the journal, then the views, then the
 * flushed height, with a sync after each. A stop at any point leaves the views at the old height, or a complete journal,
 * with which the next start brings them to the new height.
 * @param prepare computes the entries; the memtable gives those that go into the caches
 */
export const createFlush = (
  kv: KeyValueStore,
  views: Views,
  memtable: Memtable,
  flushedHeight: FlushedHeight,
  prepare: () => Promise<PreparedFlush>,
): Flush => {
  let prepared: PreparedFlush | undefined
  /** Number of journal chunks, set when the journal is durable. From then on the views may be partly written. */
  let chunks: number | undefined
  let step: 'views' | 'height' | 'caches' = 'views'

  const writeViews = async ({ entries, ...records }: PreparedFlush): Promise<void> => {
    views.beginWriting(records)
    await writeEntries(kv, entries)
    await kv.sync()
    step = 'height'
  }
  const storeFlushedHeight = async (): Promise<void> => {
    await writeFlushedHeight(kv, flushedHeight)
    await kv.sync()
    step = 'caches'
  }

  return {
    flushedHeight,
    run: async () => {
      // The callers of the commit that started this flush continue first.
      await kv.pause()
      prepared ??= await prepare()
      if (chunks === undefined) {
        const written = await writeJournal(kv, flushedHeight, prepared.entries)
        await kv.sync()
        chunks = written
      }
      if (step === 'views') await writeViews(prepared)
      if (step === 'height') await storeFlushedHeight()
      await clearJournal(kv, chunks)
      // Readers use the copy in memory until `endWriting`, so the caches can be filled slowly.
      await cacheFlushed(kv, views, memtable, prepared)
      views.endWriting(flushedHeight.number)
    },
  }
}
