import { equalBytes, type Hash } from '../../bytes/bytes.ts'
import { EMPTY_TRIE_ROOT } from '../../crypto/constants.ts'
import { runSteps, type Steps } from '../../steps.ts'
import type { TrieNodeReader, TrieNodeWrite } from '../../trie/nodes/node.ts'
import { updateStateRoot } from '../../trie/state/stateRoot.ts'
import { StoreCorruption, verifiedValue } from '../checksum.ts'
import { decodeStoredHead } from '../codec/chainHead.ts'
import { clearJournal, readIntent, replayJournal } from '../flushing/flushJournal.ts'
import type { KeyValueStore } from '../keyvalue/keyvalue.ts'
import { headerKey, historyMarkKey, segmentKey } from '../keys.ts'
import { LOADS_AT_ONCE, RECENT_BLOCKS } from '../limits.ts'
import { type FlushedHeight, readFlushedHeight, writeFlushedHeight } from '../flushing/flushedHeight.ts'
import { openSegment, segmentChangesSteps, segmentRecordSteps } from '../segments/segment.ts'
import { readSegment, REASONS } from '../segments/segmentParts.ts'
import type { BlockCommit, ChainHead } from '../store.ts'
import { readHistoryStart } from './historyMark.ts'

/** The views before the segments above them are replayed. */
export type RecoveredViews = {
  /** Undefined while the views are empty. */
  readonly flushedHeight: FlushedHeight | undefined
  /** The last blocks of the views, up to RECENT_BLOCKS, ascending. */
  readonly heads: readonly ChainHead[]
  /** False when the segment of the last block of the views is missing or damaged; earlier ones may be, too. */
  readonly isWhole: boolean
  /** The first block whose record is kept; 0 while all are. */
  readonly historyStart: number
}

/** Writes the height again, so that the earlier release refuses the views from here on. */
const markForUpgrade = async (kv: KeyValueStore, height: FlushedHeight): Promise<FlushedHeight> => {
  const marked = { ...height, sequence: height.sequence + 1 }
  await writeFlushedHeight(kv, marked)
  await kv.sync()
  return marked
}

/**
 * The flushed height, after completing a flush that the last stop interrupted.
 * @throws StoreCorruption when a damaged flushed height may have been the last one.
 */
const finishInterruptedFlush = async (kv: KeyValueStore): Promise<FlushedHeight | undefined> => {
  const { flushedHeight, damaged, isOfEarlierRelease } = await readFlushedHeight(kv)
  const intent = await readIntent(kv)
  const marked = flushedHeight?.sequence ?? 0
  if (intent !== undefined && intent.flushedHeight.sequence > marked && (await replayJournal(kv, intent))) {
    await kv.sync()
    await writeFlushedHeight(kv, intent.flushedHeight)
    await kv.sync()
    await clearJournal(kv, intent.chunks)
    return intent.flushedHeight
  }
  // The intent belongs to the last flush: if that flush's height is stored, the damaged height is an older one.
  if (damaged !== undefined && intent?.flushedHeight.sequence !== marked)
    throw new StoreCorruption(damaged, flushedHeight?.number ?? 0, 'its checksum does not match')
  return flushedHeight !== undefined && isOfEarlierRelease ? markForUpgrade(kv, flushedHeight) : flushedHeight
}

/**
 * The heads of the last blocks of the views, ascending, from the fork block on.
 * @throws StoreCorruption
 */
const recentHeads = async (
  kv: KeyValueStore,
  flushedHeight: number,
  forkBlock: number,
): Promise<readonly ChainHead[]> => {
  const heads: ChainHead[] = []
  for (
    let at = Math.max(0, forkBlock, flushedHeight - RECENT_BLOCKS + 1);
    at <= flushedHeight;
    at += LOADS_AT_ONCE
  ) {
    const count = Math.min(LOADS_AT_ONCE, flushedHeight - at + 1)
    const keys = Array.from({ length: count }, (_, index) => headerKey(at + index))
    const values = await (kv.getMany?.(keys) ?? Promise.all(keys.map(key => kv.get(key))))
    for (const [index, key] of keys.entries()) {
      const stored = values[index]
      if (stored === undefined) throw new StoreCorruption(key, at + index, 'it is missing')
      heads.push(decodeStoredHead(verifiedValue(key, stored, at + index)))
    }
  }
  return heads
}

const OTHER_VIEWS =
  'the views belong to another chain of blocks than the segments. Stop the node, delete the views (views.sqlite, the next start rebuilds them from the segments) and start it again'

const NEWER_VIEWS =
  'the views are newer than the segments. Put back the segments (segments.sqlite) that belong to them; or delete the views (views.sqlite): the node then starts at the last block of the segments and fetches later ones from its peers'

const VIEWS_NEEDED =
  'they cannot be built without the removed blocks. Put back the views (views.sqlite) that belong to the segments; or stop the node and delete its chain folder: it then fetches the whole chain from its peers. Leave the key and the folder validator as they are'

/** @throws StoreCorruption when blocks that the views lack were removed */
const requireViews = (historyStart: number, flushedHeight: number): void => {
  if (flushedHeight + 1 >= historyStart) return
  const has = flushedHeight < 0 ? 'there are no views' : `the views end at block ${flushedHeight}`
  throw new StoreCorruption(
    historyMarkKey(0),
    historyStart,
    `${has}, and the blocks before it were removed (--prune-history)`,
    VIEWS_NEEDED,
  )
}

/**
 * False when the segment of the last block of the views is missing or damaged.
 * @throws StoreCorruption when the views were made from another chain
 */
const hasSegmentOf = async (kv: KeyValueStore, { number, hash }: FlushedHeight): Promise<boolean> => {
  const bytes = await readSegment(kv, number)
  if (typeof bytes === 'string') return false
  if (!equalBytes(openSegment(bytes).hash, hash))
    throw new StoreCorruption(
      segmentKey(number),
      number,
      'the views were made from another block',
      OTHER_VIEWS,
    )
  return true
}

/**
 * Recovers the views, in a time that does not depend on the length of the chain.
 * @param repairs true to tolerate damaged segments, because they can be fetched from other nodes
 * @throws StoreCorruption
 */
export const recoverViews = async (
  kv: KeyValueStore,
  repairs: boolean,
  forkBlock = -1,
): Promise<RecoveredViews> => {
  const flushedHeight = await finishInterruptedFlush(kv)
  const historyStart = await readHistoryStart(kv, flushedHeight)
  const number = flushedHeight?.number ?? -1
  requireViews(historyStart, number)
  const isWhole = flushedHeight === undefined || (await hasSegmentOf(kv, flushedHeight))
  if (!isWhole && !repairs)
    throw new StoreCorruption(
      segmentKey(flushedHeight.number),
      flushedHeight.number,
      'it is missing, or its checksum does not match',
      NEWER_VIEWS,
    )
  return { flushedHeight, heads: await recentHeads(kv, number, forkBlock), isWhole, historyStart }
}

/**
 * The segments above the views, in order, each verified. A torn last segment was never committed (the node stopped while it
 * was written) and is ignored.
 * @param onDamaged called with the number of another damaged or missing segment, where the sequence then ends; without it
 * such a segment throws
 * @throws StoreCorruption
 */
export async function* segmentsAbove(
  kv: KeyValueStore,
  completeTo: number,
  onDamaged?: (number: number) => void,
): AsyncGenerator<Uint8Array> {
  for (let number = completeTo + 1; ; number++) {
    const found = await readSegment(kv, number)
    if (typeof found !== 'string') {
      yield found
      continue
    }
    if ((await kv.get(segmentKey(number + 1))) === undefined) return
    if (onDamaged !== undefined) return onDamaged(number)
    throw new StoreCorruption(segmentKey(number), number, REASONS[found])
  }
}

/** Recomputes the trie records of a replayed block. @throws StoreCorruption when the root differs. */
export const recomputeNodes = (
  nodes: TrieNodeReader,
  parentRoot: Hash | undefined,
  commit: Omit<BlockCommit, 'nodes'>,
): readonly TrieNodeWrite[] => {
  const update = updateStateRoot(nodes, parentRoot ?? EMPTY_TRIE_ROOT, commit.changes)
  if (!equalBytes(update.root, commit.block.header.stateRoot)) {
    const number = Number(commit.block.header.number)
    throw new StoreCorruption(segmentKey(number), number, 'its changes do not lead to its state root')
  }
  return update.nodes
}

/** Decodes a segment into its commit, without the trie records. Yields between many items. */
export function* commitOfSegmentSteps(bytes: Uint8Array): Steps<Omit<BlockCommit, 'nodes'>> {
  const segment = openSegment(bytes)
  return { ...(yield* segmentRecordSteps(segment)), changes: yield* segmentChangesSteps(segment) }
}

/** As `commitOfSegmentSteps`, without yielding. */
export const commitOfSegment = (bytes: Uint8Array): Omit<BlockCommit, 'nodes'> =>
  runSteps(commitOfSegmentSteps(bytes))
