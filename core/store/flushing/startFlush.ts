import type { StoreState } from '../storeState.ts'
import { PENDING_BLOCKS_MAX, PENDING_BYTES_MAX } from '../limits.ts'
import type { ChainHead } from '../store.ts'
import { fail, StoreFailed } from '../storeFailed.ts'
import { createFlush, type Flush, prepareFlush } from './flush.ts'
import { createMemtable } from './memtable.ts'
import { runFlush } from './runFlush.ts'

/** Makes the active memtable the immutable one, for a flush. */
const newFlush = (store: StoreState): Flush => {
  const { kv, memory, flushSequence } = store
  const memtable = memory.active
  const { header, hash } = memtable.heads.at(-1) as ChainHead
  const flushedHeight = {
    number: Number(header.number),
    hash,
    genesisHash: memory.genesisHash ?? hash,
    sequence: flushSequence + 1,
    isPruned: memory.historyStart > 0,
  }
  memory.immutable = memtable
  memory.active = createMemtable()
  if (store.undoable !== undefined) store.undoable = []
  const { durableStart } = store.removal
  const prepare = () => prepareFlush(kv, memory.views, memtable, durableStart)
  return createFlush(kv, memory.views, memtable, flushedHeight, prepare)
}

const flushActive = async (store: StoreState): Promise<void> => {
  try {
    await runFlush(store, (store.flush = newFlush(store)))
    store.removal.advance()
  } catch (cause) {
    throw fail(store.failures, new StoreFailed('bring the views up to date', cause))
  }
}

/** Starts a flush unless one is running or there is nothing to flush. */
export const beginFlush = (store: StoreState): Promise<void> => {
  const { memory } = store
  if (store.flushing !== undefined) return store.flushing
  const next = (): Promise<void> => beginFlush(store)
  if (store.removal.writing !== undefined) return store.removal.writing.then(next, next)
  if (memory.adding !== undefined) return memory.adding.then(next, next)
  if (store.failures.current !== undefined || store.flush !== undefined || memory.active.heads.length === 0)
    return Promise.resolve()
  const flushing = flushActive(store).finally(() => {
    store.flushing = undefined
  })
  // The next commit reports a failure; nobody may be waiting for this promise.
  flushing.catch(() => {})
  store.flushing = flushing
  return flushing
}

export const flushWhenDue = (store: StoreState): void => {
  const { heads, bytes } = store.memory.active
  if (heads.length >= store.flushDue.blocks || bytes >= store.flushDue.bytes) void beginFlush(store)
}

const isFarBehind = ({ memory: { active, immutable }, flushDue }: StoreState): boolean =>
  active.heads.length + (immutable?.heads.length ?? 0) >= Math.max(PENDING_BLOCKS_MAX, 2 * flushDue.blocks) ||
  active.bytes + (immutable?.bytes ?? 0) >= Math.max(PENDING_BYTES_MAX, 2 * flushDue.bytes)

/** Waits while the views are too far behind. @throws StoreFailed */
export const waitForViews = async (store: StoreState): Promise<void> => {
  while (isFarBehind(store)) {
    await beginFlush(store)
    if (store.failures.current !== undefined) throw store.failures.current
  }
}
