import { MissingEntries } from '../../core/state/account.ts'
import { type Cache, createCache } from '../../core/store/cache.ts'
import type { KeyValueEntry, KeyValueStore } from '../../core/store/keyvalue/keyvalue.ts'
import { foreignKeyOf } from './foreignKeys.ts'
import { readForeign } from './readForeign.ts'
import type { Upstream } from './upstream.ts'

/** Blocks, earlier states and hashes of the network in memory: some thousand blocks. */
const CACHE_BYTES_MAX = 64 * 1024 * 1024

type ForkedState = {
  readonly inner: KeyValueStore
  readonly upstream: Upstream
  readonly forkBlock: number
  readonly cache: Cache<Uint8Array>
  /** Reads in progress, which concurrent callers share. */
  readonly reading: Map<string, Promise<Uint8Array | undefined>>
}

/** The state after the fork block is part of this chain, as are codes, so they are stored; the rest stays in memory. */
const isStored = ({ forkBlock }: ForkedState, key: string): boolean => {
  const foreign = foreignKeyOf(key, forkBlock)
  if (foreign === undefined) return true
  return (foreign.kind === 'account' || foreign.kind === 'slot') && !key.includes('@')
}

const readUpstream = async (state: ForkedState, key: string): Promise<Uint8Array | undefined> => {
  const { inner, upstream, forkBlock, cache } = state
  const wanted = foreignKeyOf(key, forkBlock)
  if (wanted === undefined) return undefined
  const entries = await readForeign(upstream, key, wanted, forkBlock)
  const stored: KeyValueEntry[] = []
  for (const entry of entries) {
    if (isStored(state, entry.key)) stored.push(entry)
    else if (entry.value !== undefined) cache.set(entry.key, entry.value)
  }
  // Before the value is used: a later block may replace it, but never the other way round.
  if (stored.length > 0) await inner.set(stored)
  return entries[0]?.value
}

const read = (state: ForkedState, key: string): Promise<Uint8Array | undefined> => {
  const { reading } = state
  const known = reading.get(key)
  if (known !== undefined) return known
  const value = readUpstream(state, key).finally(() => reading.delete(key))
  reading.set(key, value)
  return value
}

const get = async (state: ForkedState, key: string): Promise<Uint8Array | undefined> =>
  state.cache.get(key) ?? (await state.inner.get(key)) ?? (await read(state, key))

const getSync =
  (state: ForkedState, inner: (key: string) => Uint8Array | undefined) =>
  (key: string): Uint8Array | undefined => {
    const found = state.cache.get(key) ?? inner(key)
    if (found !== undefined || foreignKeyOf(key, state.forkBlock) === undefined) return found
    throw new MissingEntries([key])
  }

/**
 * The storage of a chain that forks another network: what it does not have is read from that network. Its synchronous reads
 * throw MissingEntries for such a value.
 * @param inner has the head of the fork, and what this chain wrote
 */
export const createForkedStorage = (
  inner: KeyValueStore,
  upstream: Upstream,
  forkBlock: number,
): KeyValueStore => {
  const state: ForkedState = {
    inner,
    upstream,
    forkBlock,
    cache: createCache(CACHE_BYTES_MAX, value => value.length),
    reading: new Map(),
  }
  const one = (key: string): Promise<Uint8Array | undefined> => get(state, key)
  return {
    ...inner,
    getSync: inner.getSync && getSync(state, inner.getSync),
    get: one,
    // In one turn, so that the calls travel together.
    getMany: keys => Promise.all(keys.map(one)),
  }
}
