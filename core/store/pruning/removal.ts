import { HISTORY_STEP_BLOCKS } from '../limits.ts'
import { endedTables } from '../logs/postings.ts'
import { fail, StoreFailed } from '../storeFailed.ts'
import type { StoreState } from '../storeState.ts'
import { writeHistoryStart, writeRemovedTo } from '../recovery/historyMark.ts'
import { betweenFlushes, markHeight } from './betweenFlushes.ts'
import { removeBlocks, removeLogTable } from './removeBlocks.ts'

/*
 * Keeps the last blocks only. The start of the history moves up with the flushed height: in memory first, so that no reader
 * begins below it, then durably. What lies below is then removed in batches in the background. The records of the blocks,
 * which name everything else that is removed with them, go last: an interrupted batch is repeated.
 */

export type HistorySettings = {
  /** Blocks that are kept at least. */
  readonly blocks: number
  /** Blocks by which the start moves at once. */
  readonly stepBlocks?: number
  /** Resolves when the next batch may be removed: bounds the share of the thread. */
  readonly rest?: () => Promise<void>
}

/** The removal of old history in an open store. */
export type HistoryRemoval = {
  /** Starts a pass, unless one is running or nothing is due; after a flush, and after a failure. */
  readonly advance: () => void
  /** Undefined in a store that keeps all its history. */
  readonly settings: HistorySettings | undefined
  /** The start of the history as stored; what lies below may be removed. */
  durableStart: number
  /** All blocks below were removed. */
  removedTo: number
  /** True when the stored flushed height says that the views lack a part of their history. */
  isHeightMarked: boolean
  /** The pass that removes blocks. */
  running: Promise<void> | undefined
  /** A write of accounts and slots by that pass, for which a flush waits. */
  writing: Promise<void> | undefined
  stopped: boolean
}

/** The start that the flushed height allows; the present one until it can move by a step. */
const dueStart = ({ memory, removal }: StoreState): number => {
  const { settings, durableStart } = removal
  if (settings === undefined) return durableStart
  const { blocks, stepBlocks = HISTORY_STEP_BLOCKS } = settings
  const start = memory.views.flushedHeight - blocks + 1
  return start >= Math.max(1, durableStart) + stepBlocks ? start : durableStart
}

/** Returns false when the removal ends. */
const moveStart = async (store: StoreState, start: number): Promise<boolean> => {
  const { kv, memory, removal } = store
  memory.historyStart = Math.max(memory.historyStart, start)
  if (!removal.isHeightMarked && !(await betweenFlushes(store, () => markHeight(store)))) return false
  await writeHistoryStart(kv, memory.historyStart)
  removal.durableStart = memory.historyStart
  return true
}

/** Removes the next blocks. Returns false when the removal ends. */
const removeNext = async (store: StoreState): Promise<boolean> => {
  const { kv, removal } = store
  const from = removal.removedTo
  const end = await removeBlocks(store, from, removal.durableStart)
  if (end === from) return false
  for (const table of endedTables(from, end)) await removeLogTable(kv, table)
  removal.removedTo = end
  await writeRemovedTo(kv, end)
  return true
}

const run = async (store: StoreState): Promise<void> => {
  const { kv, removal } = store
  const rest = removal.settings?.rest ?? (() => kv.pause())
  try {
    // The callers of the flush that started this continue first.
    await kv.pause()
    while (!removal.stopped && store.failures.current === undefined) {
      const start = dueStart(store)
      if (start > removal.durableStart && !(await moveStart(store, start))) return
      if (removal.removedTo >= removal.durableStart || !(await removeNext(store))) return
      await rest()
    }
  } catch (cause) {
    fail(store.failures, new StoreFailed('remove old history', cause))
  }
}

/** Starts a pass, unless one is running or nothing is due. To be called after a flush, at a start, and after a failure. */
export const advanceHistory = (store: StoreState): void => {
  const { removal, failures } = store
  if (removal.settings === undefined || removal.stopped || removal.running !== undefined) return
  if (failures.current !== undefined) return
  if (dueStart(store) === removal.durableStart && removal.removedTo >= removal.durableStart) return
  removal.running = run(store).finally(() => {
    removal.running = undefined
  })
}

/** Ends the pass after the block in progress; the next start continues it. */
export const stopRemoval = async ({ removal }: StoreState): Promise<void> => {
  removal.stopped = true
  await removal.running
}
