import { toBareHex } from '../../bytes/hex.ts'
import type { StateChanges } from '../../state/account.ts'
import { runStepsYielding } from '../../steps.ts'
import { checkedValue, StoreCorruption } from '../checksum.ts'
import { currentRecords, entryOf, writeEntries } from '../flushing/flush.ts'
import type { KeyValueEntry, KeyValueStore } from '../keyvalue/keyvalue.ts'
import { accountKey, slotKey, transactionKey } from '../keys.ts'
import { FLUSH_SLICE_ENTRIES, HISTORY_STEP_BLOCKS } from '../limits.ts'
import { partitionKeys, type PostingTable } from '../logs/postings.ts'
import { pagesEndingAt } from '../views/valueHistory.ts'
import { commitOfSegmentSteps } from '../recovery/recover.ts'
import { readSegment, removeSegment } from '../segments/segmentParts.ts'
import { historyOfRecord, type StateRecord, trimStateRecord } from '../views/stateRecord.ts'
import type { StoreState } from '../storeState.ts'
import type { StateKind } from '../views/views.ts'
import { betweenFlushes, flushRecords } from './betweenFlushes.ts'

/** Accounts and slots that are rewritten together: each time needs four syncs. Their records are in memory meanwhile. */
const BATCH_KEYS = 2_048

const removalOf = (key: string): KeyValueEntry => ({ key, value: undefined })

/** For each account or slot the blocks that changed it, ascending. */
type Changed = Map<string, number[]>

/** Blocks that are removed together, and what their records name. */
type Batch = {
  /** The block after the last one. */
  end: number
  readonly accounts: Changed
  readonly slots: Changed
  /** Keys of the transaction index. */
  readonly transactions: string[]
}

const note = (changed: Changed, key: string, number: number): void => {
  const blocks = changed.get(key)
  if (blocks === undefined) changed.set(key, [number])
  else blocks.push(number)
}

const noteChanges = ({ accounts, slots }: Batch, changes: StateChanges, number: number): void => {
  for (const { address, after, slots: changed } of changes.accounts) {
    note(accounts, accountKey(address), number)
    if (after === undefined) continue
    for (const { slot } of changed) note(slots, slotKey(address, after.incarnation, slot), number)
  }
}

/** Reads the records of the blocks from `start` on, up to `end` or a batch. A damaged record names nothing. */
const readBatch = async ({ kv }: StoreState, start: number, end: number): Promise<Batch> => {
  const batch: Batch = { end: start, accounts: new Map(), slots: new Map(), transactions: [] }
  const last = Math.min(end, start + HISTORY_STEP_BLOCKS)
  while (batch.end < last && batch.accounts.size + batch.slots.size < BATCH_KEYS) {
    const found = await readSegment(kv, batch.end)
    if (typeof found !== 'string') {
      const { block, changes } = await runStepsYielding(commitOfSegmentSteps(found), () => kv.pause())
      for (const { hash } of block.transactions) batch.transactions.push(transactionKey(toBareHex(hash)))
      noteChanges(batch, changes, batch.end)
    }
    batch.end++
    await kv.pause()
  }
  return batch
}

/** The records of the keys; none if one of them is damaged, which its readers report. */
const readRecords = async <Value>(
  { kv, memory: { views } }: StoreState,
  kind: StateKind<Value>,
  keys: readonly string[],
): Promise<readonly StateRecord[]> => {
  try {
    return await currentRecords(kv, views.flushedHeight, kind, keys)
  } catch (error) {
    if (error instanceof StoreCorruption) return []
    throw error
  }
}

/** History pages that end below the start of the history: those of changes, and those of pages. */
type EndedPages = { readonly pages: KeyValueEntry[]; readonly directories: KeyValueEntry[] }

/** Finds the pages that end with a removed block, and the records with changes that are in no page. */
const trimmedRecords = async <Value>(
  store: StoreState,
  kind: StateKind<Value>,
  changed: Changed,
  keys: readonly string[],
  { pages, directories }: EndedPages,
): Promise<ReadonlyMap<string, StateRecord>> => {
  const { kv, removal } = store
  const readPage = async (key: string): Promise<Uint8Array | undefined> =>
    checkedValue(key, await kv.get(key))
  const trimmed = new Map<string, StateRecord>()
  for (let at = 0; at < keys.length; at += FLUSH_SLICE_ENTRIES) {
    const slice = keys.slice(at, at + FLUSH_SLICE_ENTRIES)
    for (const [index, record] of (await readRecords(store, kind, slice)).entries()) {
      const key = slice[index] as string
      const history = historyOfRecord(record, kind.codec)
      for (const block of changed.get(key) ?? []) {
        const [page, ...above] = await pagesEndingAt(key, history, block, readPage)
        if (page !== undefined) pages.push(removalOf(page))
        directories.push(...above.map(removalOf))
      }
      const shorter = trimStateRecord(kind.codec, record, history, removal.durableStart)
      if (shorter !== undefined) trimmed.set(key, shorter)
    }
    await kv.pause()
  }
  return trimmed
}

const NONE: ReadonlyMap<string, StateRecord> = new Map()

/** Returns false when the removal ends. */
const trimState = async (
  store: StoreState,
  name: 'accounts' | 'slots',
  changed: Changed,
): Promise<boolean> => {
  const { kv, memory } = store
  const keys = [...changed.keys()]
  for (let at = 0; at < keys.length; at += BATCH_KEYS) {
    const ended: EndedPages = { pages: [], directories: [] }
    const slice = keys.slice(at, at + BATCH_KEYS)
    const isDone = await betweenFlushes(store, async () => {
      const trimmed =
        name === 'accounts'
          ? await trimmedRecords(store, memory.views.accounts, changed, slice, ended)
          : await trimmedRecords(store, memory.views.slots, changed, slice, ended)
      if (trimmed.size === 0) return
      const entries = [...trimmed].map(([key, record]) => entryOf(key, record))
      await flushRecords(store, { accounts: NONE, slots: NONE, [name]: trimmed, pages: new Map(), entries })
    })
    if (!isDone) return false
    await writeEntries(kv, ended.pages)
    // After the pages below them, which are found through them.
    await writeEntries(kv, ended.directories)
  }
  return true
}

/**
 * Removes the records of the next blocks below the start of the history, and before them all that they name: entries of the
 * transaction index and the history of accounts and slots. Headers and hashes stay. Repeating it after a stop changes nothing.
 * @returns the first block that was not removed; `from` when the removal ends
 */
export const removeBlocks = async (store: StoreState, from: number, end: number): Promise<number> => {
  const { kv } = store
  const batch = await readBatch(store, from, end)
  await writeEntries(kv, batch.transactions.map(removalOf))
  if (!(await trimState(store, 'accounts', batch.accounts))) return from
  if (!(await trimState(store, 'slots', batch.slots))) return from
  for (let number = from; number < batch.end; number++) await removeSegment(kv, number)
  return batch.end
}

/** Removes a section or group of the log index, its head last. */
export const removeLogTable = async (kv: KeyValueStore, table: PostingTable): Promise<void> => {
  const key = table.head
  const head = checkedValue(key, await kv.get(key))
  if (head === undefined) return
  await writeEntries(kv, partitionKeys(table, head).map(removalOf))
  await kv.set([removalOf(key)])
}
