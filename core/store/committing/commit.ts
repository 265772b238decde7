import { runSteps, runStepsYielding, type Steps } from '../../steps.ts'
import { headNumberOf } from '../chainMemory.ts'
import { CommitRefused, checkCommit } from './commitCheck.ts'
import { addChangesSteps, addHead, addNodesSteps } from '../flushing/memtable.ts'
import { flushWhenDue, waitForViews } from '../flushing/startFlush.ts'
import { undoableBlock } from '../flushing/memtableUndo.ts'
import { blockFingerprintsSteps } from '../logs/fingerprint.ts'
import { RECENT_BLOCKS, YIELDING_ITEMS } from '../limits.ts'
import { encodeSegmentSteps } from '../segments/segment.ts'
import { type StoredSegment, storedSegmentSteps } from '../segments/segmentParts.ts'
import type { BlockCommit, ChainHead, Durable } from '../store.ts'
import { fail, StoreFailed } from '../storeFailed.ts'
import type { StoreState } from '../storeState.ts'

/** Binary logarithm of the bytes of a transaction, log data or code that take as long to process as one log. */
const DATA_SHIFT = 10

/** The number of transactions, logs, accounts and slots of a commit, plus one for each KiB of data and code. */
const itemsOf = ({ block, receipts, changes }: BlockCommit): number => {
  let items = changes.accounts.length
  for (const { encoded } of block.transactions) items += 1 + (encoded.length >> DATA_SHIFT)
  for (const { slots } of changes.accounts) items += slots.length
  for (const { logs, revertReason } of receipts) {
    items += (revertReason?.length ?? 0) >> DATA_SHIFT
    for (const { data } of logs) items += 1 + (data.length >> DATA_SHIFT)
  }
  for (const { code } of changes.codes) items += code.length >> DATA_SHIFT
  return items
}

/** Adds the block with its changes, and makes it the head. */
function* addSteps(store: StoreState, commit: BlockCommit): Steps<void> {
  const { memory, snapshots, logs } = store
  store.undoable?.push(undoableBlock(memory.active, commit))
  yield* addChangesSteps(memory.active, commit)
  const fingerprints = yield* blockFingerprintsSteps(commit.receipts)
  yield* addNodesSteps(memory.active, commit.nodes, replaced => snapshots.keep(replaced))
  addHead(memory.active, commit)
  const number = Number(commit.block.header.number)
  const head = memory.active.heads.at(-1) as ChainHead
  memory.head = head
  if (number === 0) memory.genesisHash = commit.hash
  memory.recent.set(number, head)
  memory.recent.delete(number - RECENT_BLOCKS - 1)
  logs.add(number, fingerprints)
}

/** Adds a block to memory as the new head. */
export const addBlock = (store: StoreState, commit: BlockCommit): void => {
  runSteps(addSteps(store, commit))
}

/**
 * As `addBlock`, in steps, for a large block. Until it is the head, readers ignore its changes and a flush waits.
 * @throws StoreFailed
 */
const addBlockYielding = async (store: StoreState, commit: BlockCommit): Promise<void> => {
  const { kv, memory, failures } = store
  try {
    await runStepsYielding(addSteps(store, commit), () => kv.pause())
  } catch (cause) {
    // A partly added block must not be flushed.
    const what = `take block ${commit.block.header.number} into memory`
    throw fail(failures, new StoreFailed(what, cause, 'restart'))
  } finally {
    memory.adding = undefined
  }
}

const writeSegments = async ({ segments, failures }: StoreState, number: bigint | number): Promise<void> => {
  try {
    await segments.write()
  } catch (cause) {
    throw fail(failures, new StoreFailed(`commit block ${number}`, cause))
  }
}

/** As ChainStore.settle. @throws StoreFailed */
export const settle = (store: StoreState): Promise<void> => writeSegments(store, headNumberOf(store.memory))

/** As `writeSegments`; when the caller does not wait, the next commit reports a failure. */
const beginSegments = (store: StoreState, number: bigint): Promise<void> => {
  const written = writeSegments(store, number)
  written.catch(() => undefined)
  return written
}

/** The stored form of the segment of a block. */
function* segmentSteps(commit: BlockCommit, partBytes: number): Steps<StoredSegment> {
  const parts = yield* encodeSegmentSteps(commit, partBytes)
  yield
  return yield* storedSegmentSteps(Number(commit.block.header.number), parts)
}

const commitNext = async (store: StoreState, commit: BlockCommit, durable: Durable): Promise<void> => {
  const { kv, memory, segments } = store
  const { number } = commit.block.header
  const isLarge = itemsOf(commit) >= YIELDING_ITEMS
  const steps = segmentSteps(commit, store.segmentPartBytes)
  const segment = isLarge ? await runStepsYielding(steps, () => kv.pause()) : runSteps(steps)
  segments.add(segment)
  if (durable !== 'soon' || segments.isFull) store.writing = beginSegments(store, number)
  if (durable !== 'next')
    await store.writing?.catch((error: unknown) => {
      // The block does not become the head.
      segments.remove(segment)
      throw error
    })
  if (isLarge) {
    await kv.pause()
    await (memory.adding = addBlockYielding(store, commit))
  } else addBlock(store, commit)
  store.blocks.remember(commit, segment.bytes)
  flushWhenDue(store)
}

/** As ChainStore.commit. @throws CommitRefused, StoreFailed */
export const commitBlock = async (
  store: StoreState,
  commit: BlockCommit,
  durable: Durable = 'now',
): Promise<void> => {
  if (store.failures.current !== undefined) throw store.failures.current
  if (store.closed || store.committing)
    throw new CommitRefused(store.closed ? 'the store is closed' : 'another commit is running')
  checkCommit(store.memory.head, commit)
  store.committing = true
  try {
    await store.writing
    await waitForViews(store)
    await commitNext(store, commit, durable)
  } finally {
    store.committing = false
  }
}
