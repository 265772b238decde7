import { createFlush, type PreparedFlush } from '../flushing/flush.ts'
import { type FlushedHeight, readFlushedHeight, writeFlushedHeight } from '../flushing/flushedHeight.ts'
import { createMemtable } from '../flushing/memtable.ts'
import { runFlush } from '../flushing/runFlush.ts'
import type { StoreState } from '../storeState.ts'

/**
 * Runs a write of the views while no flush does; a flush waits for it. Returns false, and does not run it, when the removal
 * ends.
 */
export const betweenFlushes = async (store: StoreState, write: () => Promise<void>): Promise<boolean> => {
  const { kv, removal, failures } = store
  for (;;) {
    if (removal.stopped || failures.current !== undefined) return false
    if (store.flush === undefined && store.flushing === undefined) break
    await store.flushing?.catch(() => undefined)
    await kv.pause()
  }
  const writing = write().finally(() => {
    removal.writing = undefined
  })
  // A flush that waits for it goes on after a failure, too.
  removal.writing = writing.catch(() => undefined)
  await writing
  return true
}

/** The stored height of the views as the next one, which says that they lack a part of their history. */
const nextHeight = async ({ kv }: StoreState): Promise<FlushedHeight | undefined> => {
  const { flushedHeight } = await readFlushedHeight(kv)
  return flushedHeight && { ...flushedHeight, sequence: flushedHeight.sequence + 1, isPruned: true }
}

/** From here on an earlier release, which would take the views for whole, refuses them. Only between flushes. */
export const markHeight = async (store: StoreState): Promise<void> => {
  const { kv, removal } = store
  const height = await nextHeight(store)
  if (height === undefined) return
  await writeFlushedHeight(kv, height)
  await kv.sync()
  store.flushSequence = height.sequence
  removal.isHeightMarked = true
}

/** Replaces records as a flush does, with a journal: a torn write must not damage the only copy. Only between flushes. */
export const flushRecords = async (store: StoreState, prepared: PreparedFlush): Promise<void> => {
  const { kv, memory } = store
  const height = await nextHeight(store)
  if (height === undefined) return
  const flush = createFlush(kv, memory.views, createMemtable(), height, () => Promise.resolve(prepared))
  // After a failure, a retry runs it again.
  store.flush = flush
  await runFlush(store, flush)
}
