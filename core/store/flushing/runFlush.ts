import type { StoreState } from '../storeState.ts'
import type { Flush } from './flush.ts'

/** Runs the flush. After a failure the memtable stays in memory above the partly written views, so reads continue. */
export const runFlush = async (store: StoreState, flush: Flush): Promise<void> => {
  // The views must never contain blocks whose segments are missing.
  await store.segments.write()
  await flush.run()
  store.flushSequence = flush.flushedHeight.sequence
  store.removal.isHeightMarked = flush.flushedHeight.isPruned
  store.memory.immutable = undefined
  store.flush = undefined
  store.logs.advance(flush.flushedHeight.number)
}
