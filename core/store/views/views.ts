import { type Account, MissingEntries } from '../../state/account.ts'
import { type Cache, createCache } from '../cache.ts'
import { setBounded } from '../../collections/boundedMap.ts'
import { StoreCorruption, verifiedValue } from '../checksum.ts'
import { accountCodec, slotCodec, type ValueCodec } from '../codec/stateValues.ts'
import { isCodeList, readListedCode } from '../segments/codeParts.ts'
import type { KeyValueStore } from '../keyvalue/keyvalue.ts'
import { codeListKey } from '../keys.ts'
import {
  ACCOUNT_CACHE_BYTES,
  CODE_CACHE_BYTES,
  HISTORY_CACHE_BYTES,
  LOADS_AT_ONCE,
  NODE_CACHE_BYTES,
  RUN_ENTRIES_MAX,
  SLOT_CACHE_BYTES,
} from '../limits.ts'
import { absentRecord, type StateRecord } from './stateRecord.ts'

/** Codec and cache of accounts or slots. */
export type StateKind<Value> = {
  readonly codec: ValueCodec<Value>
  readonly cache: Cache<StateRecord>
  /** The result for keys that were never written. */
  readonly absent: StateRecord
}

/** The records that a flush is writing. Readers use them, because the stored records may be partly written. */
type FlushedRecords = {
  readonly accounts: ReadonlyMap<string, StateRecord>
  readonly slots: ReadonlyMap<string, StateRecord>
  readonly pages: ReadonlyMap<string, Uint8Array>
}

/**
 * The stored (materialised) views behind bounded caches. They do not have the changes of recent blocks; readers search the
 * memtables first.
 */
export type Views = {
  readonly accounts: StateKind<Account | undefined>
  readonly slots: StateKind<Uint8Array>
  /** The height up to which the views are complete; -1 while they are empty. */
  readonly flushedHeight: number
  /**
   * Synchronous reads. @throws MissingEntries when the store is asynchronous and the entry was not loaded; StoreCorruption.
   */
  account(key: string): StateRecord
  slot(key: string): StateRecord
  node(key: string): Uint8Array | undefined
  code(key: string): Uint8Array | undefined
  historyPage(key: string): Uint8Array
  /** Reads from the store, bypassing the caches. @throws StoreCorruption */
  fetch(key: string): Promise<Uint8Array | undefined>
  /** As ChainStore.run. @throws RunTooLarge */
  run<T>(synchronous: () => T): Promise<T>
  runAtOnce<T>(synchronous: () => T): T | Promise<T>
  beginWriting(records: FlushedRecords): void
  /** Caches a trie record that a flush wrote, in place of the older one. */
  cacheNode(key: string, value: Uint8Array | undefined): void
  /** Called when the views are complete up to the height and the caches have the flushed values. Discards loaded values. */
  endWriting(flushedHeight: number): void
  /** Empties the caches: their values may be forged, with right checksums. */
  forget(): void
}

/** Loading rounds in which a concurrent flush may explain an invalid value; after them an invalid value is damaged. */
const UNREAD_ROUNDS_MAX = 8

/**
 * The state of the views: their height, the records of a flush in progress, and the entries that the current run loaded.
 */
type ViewsState = {
  readonly kv: KeyValueStore
  flushedHeight: number
  writing: FlushedRecords | undefined
  /** Changes whenever previously loaded values may be outdated. */
  epoch: number
  /** The entries loaded by the `run` in progress. */
  loaded: ReadonlyMap<string, Uint8Array | undefined> | undefined
  readonly prefetchTable: PrefetchTable | undefined
}

const kindOf = <Value>(codec: ValueCodec<Value>, cacheBytes: number): StateKind<Value> => ({
  codec,
  cache: createCache(cacheBytes, record => record.length),
  absent: absentRecord(codec),
})

const read = ({ kv, loaded, flushedHeight }: ViewsState, key: string): Uint8Array | undefined => {
  if (loaded?.has(key)) return loaded.get(key)
  if (kv.getSync === undefined) throw new MissingEntries([key])
  const stored = kv.getSync(key)
  return stored === undefined ? undefined : verifiedValue(key, stored, flushedHeight)
}

const fetch = async (state: ViewsState, key: string): Promise<Uint8Array | undefined> => {
  const stored = await state.kv.get(key)
  return stored === undefined ? undefined : verifiedValue(key, stored, state.flushedHeight)
}

const cached = (state: ViewsState, cache: Cache<Uint8Array>, key: string): Uint8Array | undefined => {
  const known = cache.get(key)
  if (known !== undefined) return known
  const value = read(state, key)
  if (value !== undefined) cache.set(key, value)
  return value
}

/** Large code, which is stored in parts, is loaded as in an asynchronous store: in steps. */
const codeOf = (state: ViewsState, cache: Cache<Uint8Array>, key: string): Uint8Array | undefined => {
  const code = cached(state, cache, key)
  if (code !== undefined) return code
  const list = codeListKey(key)
  const { kv, loaded } = state
  if (loaded?.has(list) !== true) {
    if (kv.getSync !== undefined && kv.getSync(list) === undefined) return undefined
    throw new MissingEntries([list])
  }
  const large = loaded.get(list)
  if (large !== undefined) cache.set(key, large)
  return large
}

const recordOf = <Value>(
  state: ViewsState,
  { cache, absent }: StateKind<Value>,
  key: string,
): StateRecord => {
  const known = cache.get(key)
  if (known !== undefined) return known
  const found = read(state, key)?.slice() ?? absent
  cache.set(key, found)
  return found
}

/** Loads entries. Returns false when an entry could not be read because a flush was writing it; it is in memory now. */
const load = async (
  state: ViewsState,
  keys: readonly string[],
  into: Map<string, Uint8Array | undefined>,
  lenient: boolean,
  prefetched: ReadonlySet<string>,
): Promise<boolean> => {
  const before = state.epoch
  const { kv, flushedHeight } = state
  const lists = keys.filter(isCodeList)
  if (lists.length > 0) {
    for (const key of lists) into.set(key, await readListedCode(kv, key, flushedHeight))
    const others = keys.filter(key => !isCodeList(key))
    return others.length === 0 || (await load(state, others, into, lenient, prefetched))
  }
  let whole = true
  const put = (key: string, stored: Uint8Array | undefined): void => {
    try {
      into.set(key, stored === undefined ? undefined : verifiedValue(key, stored, flushedHeight))
    } catch (error) {
      // The run may not need it; if it does, the next round loads it.
      if (prefetched.has(key)) return
      const disturbed = state.writing !== undefined || state.epoch !== before
      if (!lenient || !disturbed || !(error instanceof StoreCorruption)) throw error
      whole = false
    }
  }
  if (kv.getMany !== undefined) {
    const values = await kv.getMany(keys)
    keys.forEach((key, index) => put(key, values[index]))
    return whole
  }
  for (let at = 0; at < keys.length; at += LOADS_AT_ONCE)
    await Promise.all(keys.slice(at, at + LOADS_AT_ONCE).map(async key => put(key, await kv.get(key))))
  return whole
}

/**
 * For the first key that a run missed, the keys that it then read. The next run that first misses this key loads all of
 * them in its first round. The table outlives the head, because most calls of a contract read the same entries again.
 */
export type PrefetchTable = Map<string, readonly string[]>

/** Keys of the table, and keys that each prefetches, about a hundred bytes each. */
const PREFETCH_TABLE_ENTRIES_MAX = 2_048
const PREFETCHED_KEYS_MAX = 128

const keysToPrefetch = (state: ViewsState, found: ReadonlyMap<string, unknown>, missing: readonly string[]) =>
  new Set(
    (state.prefetchTable?.get(missing[0] as string) ?? []).filter(
      key => !found.has(key) && !missing.includes(key),
    ),
  )

const rememberReads = (
  { prefetchTable }: ViewsState,
  first: string | undefined,
  read: Iterable<string>,
): void => {
  if (prefetchTable === undefined || first === undefined) return
  setBounded(prefetchTable, first, [...read].slice(0, PREFETCHED_KEYS_MAX), PREFETCH_TABLE_ENTRIES_MAX)
}

const runLoading = async <T>(state: ViewsState, synchronous: () => T): Promise<T> => {
  const found = new Map<string, Uint8Array | undefined>()
  let first: string | undefined
  let rounds = 0
  let foundIn = state.epoch
  let unread = 0
  for (;;) {
    if (foundIn !== state.epoch) found.clear()
    foundIn = state.epoch
    const outer = state.loaded
    state.loaded = found
    let missing: readonly string[]
    try {
      const result = synchronous()
      if (rounds > 1) rememberReads(state, first, found.keys())
      return result
    } catch (error) {
      if (!(error instanceof MissingEntries)) throw error
      missing = [...new Set(error.keys)]
    } finally {
      state.loaded = outer
    }
    // Without progress the run would never end.
    if (missing.every(key => found.has(key))) throw new RunTooLarge('requested the same entries again')
    if (found.size + missing.length > RUN_ENTRIES_MAX)
      throw new RunTooLarge(`needs more than ${RUN_ENTRIES_MAX} entries`)
    first ??= missing[0]
    const prefetched = keysToPrefetch(state, found, missing)
    if (!(await load(state, [...missing, ...prefetched], found, unread < UNREAD_ROUNDS_MAX, prefetched)))
      unread++
    rounds++
  }
}

const runAtOnce = <T>(state: ViewsState, synchronous: () => T): T | Promise<T> => {
  const outer = state.loaded
  state.loaded = undefined
  try {
    return synchronous()
  } catch (error) {
    if (!(error instanceof MissingEntries)) throw error
  } finally {
    state.loaded = outer
  }
  return runLoading(state, synchronous)
}

export const createViews = (kv: KeyValueStore, completeTo: number, prefetchTable?: PrefetchTable): Views => {
  const accounts = kindOf(accountCodec, ACCOUNT_CACHE_BYTES)
  const slots = kindOf(slotCodec, SLOT_CACHE_BYTES)
  const nodes = createCache<Uint8Array>(NODE_CACHE_BYTES, node => node.length)
  const codes = createCache<Uint8Array>(CODE_CACHE_BYTES, code => code.length)
  const pages = createCache<Uint8Array>(HISTORY_CACHE_BYTES, page => page.length)
  const state: ViewsState = {
    kv,
    flushedHeight: completeTo,
    writing: undefined,
    epoch: 0,
    loaded: undefined,
    prefetchTable,
  }
  return {
    accounts,
    slots,
    get flushedHeight() {
      return state.flushedHeight
    },
    account: key => state.writing?.accounts.get(key) ?? recordOf(state, accounts, key),
    slot: key => state.writing?.slots.get(key) ?? recordOf(state, slots, key),
    node: key => cached(state, nodes, key),
    code: key => codeOf(state, codes, key),
    historyPage: key => {
      const page = state.writing?.pages.get(key) ?? cached(state, pages, key)
      if (page === undefined) throw new StoreCorruption(key, state.flushedHeight, 'it is missing')
      return page
    },
    fetch: key => fetch(state, key),
    run: synchronous => runLoading(state, synchronous),
    runAtOnce: synchronous => runAtOnce(state, synchronous),
    beginWriting: records => {
      state.writing = records
    },
    cacheNode: (key, value) => {
      if (value === undefined) nodes.delete(key)
      else nodes.set(key, value)
    },
    endWriting: next => {
      state.writing = undefined
      state.flushedHeight = next
      state.epoch++
    },
    forget: () => {
      for (const cache of [accounts.cache, slots.cache, nodes, codes, pages]) cache.clear()
      state.epoch++
    },
  }
}

/** A synchronous run reads more entries than the limit. */
class RunTooLarge extends Error {
  override readonly name = 'RunTooLarge'
  readonly code = 'RUN_TOO_LARGE'
  constructor(reason: string) {
    super(`a run over the store ${reason}; request less at once`)
  }
}
