import { headNumberOf } from '../chainMemory.ts'
import { removeLastBlock, type UndoableBlock } from '../flushing/memtableUndo.ts'
import { segmentKey } from '../keys.ts'
import { RECENT_BLOCKS } from '../limits.ts'
import { removeParts } from '../segments/segmentParts.ts'
import type { ChainHead } from '../store.ts'
import type { StoreState } from '../storeState.ts'

/**
 * Most blocks, and bytes of them, that a rewindable store keeps above its views, so that a development chain can go back
 * over them. Above either limit the store flushes like any other store.
 */
export const REWIND_BLOCKS_MAX = 20_000
export const REWIND_BYTES_MAX = 64 * 1024 * 1024

/** Removed blocks whose parts are searched between two pauses. */
const NUMBERS_PER_PAUSE = 256

/** The store cannot make an earlier block its head again; it is unchanged. */
export class RewindRefused extends Error {
  override readonly name = 'RewindRefused'
  readonly code = 'REWIND_REFUSED'
}

/** The lowest stored segment of the blocks; undefined if all of them only waited to be written. */
const firstStored = async ({ kv }: StoreState, first: number, last: number): Promise<number | undefined> => {
  for (let number = first; number <= last; number++) {
    if ((await kv.get(segmentKey(number))) !== undefined) return number
    if (number % NUMBERS_PER_PAUSE === 0) await kv.pause()
  }
  return undefined
}

/** Deletes the last blocks first, so that a stop in between leaves a chain without a gap. */
const deleteSegments = async (store: StoreState, from: number, last: number): Promise<void> => {
  const { kv } = store
  const first = await firstStored(store, from, last)
  if (first === undefined) return
  const entries: { key: string; value: undefined }[] = []
  for (let number = last; number >= first; number--)
    entries.push({ key: segmentKey(number), value: undefined })
  await kv.set(entries)
  if (kv.durability === 'synced') await kv.sync()
  // Parts without their list belong to no block.
  for (let number = first; number <= last; number++) {
    await removeParts(kv, number)
    if (number % NUMBERS_PER_PAUSE === 0) await kv.pause()
  }
}

/** The lowest block that can become the head again. */
const lowestTarget = ({ memory, undoable }: StoreState): number =>
  undoable === undefined ? headNumberOf(memory) : Math.max(0, memory.views.flushedHeight)

/** The heads up to `target` that a store with that head keeps in memory, and this one no longer does. */
const headsToKeep = async (
  { memory, blocks }: StoreState,
  target: number,
): Promise<readonly (ChainHead | undefined)[]> => {
  const reads: Promise<ChainHead | undefined>[] = []
  const first = Math.max(0, memory.forkBlock, target - RECENT_BLOCKS)
  for (let number = first; number <= target; number++)
    if (!memory.recent.has(number)) reads.push(blocks.reads.chainHead(BigInt(number)))
  return Promise.all(reads)
}

/** Removes the blocks above `target` from memory. Synchronous, so readers see the old head or the new one. */
const removeFromMemory = (
  { memory, undoable = [], blocks, logs, snapshots }: StoreState,
  target: number,
  heads: readonly (ChainHead | undefined)[],
): void => {
  const last = headNumberOf(memory)
  for (let number = last; number > target; number--) {
    removeLastBlock(memory.active, undoable.pop() as UndoableBlock)
    memory.recent.delete(number)
  }
  for (const head of heads) if (head !== undefined) memory.recent.set(Number(head.header.number), head)
  memory.head = memory.recent.get(target)
  blocks.discardAbove(target)
  logs.discard(target + 1, last)
  snapshots.expireAll()
}

/**
 * Makes block `number` the head again and deletes all later blocks, in a time that depends on their number alone. Only the
 * blocks above the views can be removed.
 * @throws RewindRefused, StoreFailed
 */
export const rewindStore = async (store: StoreState, number: bigint): Promise<void> => {
  const { memory, segments, failures } = store
  if (failures.current !== undefined) throw failures.current
  if (store.closed || store.committing) throw new RewindRefused('the store is closed, or commits a block')
  const target = Number(number)
  const last = headNumberOf(memory)
  store.committing = true
  try {
    await store.writing
    // It moves the views up.
    await store.flushing
    const lowest = lowestTarget(store)
    if (target < lowest || target > last)
      throw new RewindRefused(`block ${number} cannot be the head again; blocks ${lowest} to ${last} can`)
    await segments.discard(target + 1, last)
    await deleteSegments(store, target + 1, last)
    removeFromMemory(store, target, await headsToKeep(store, target))
  } finally {
    store.committing = false
  }
}
