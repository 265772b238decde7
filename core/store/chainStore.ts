import { subscribe } from '../collections/subscribe.ts'
import { readChainId, writeChainId } from './chainId.ts'
import { createBlockReader } from './reading/blockReader.ts'
import { createChainMemory, headNumberOf, nodeReaderOf } from './chainMemory.ts'
import { addBlock, commitBlock, settle } from './committing/commit.ts'
import { retry } from './committing/retry.ts'
import type { StoreState } from './storeState.ts'
import { createDamage, repairRecord, reportDamage } from './recovery/damage.ts'
import { beginFlush, flushWhenDue, waitForViews } from './flushing/startFlush.ts'
import type { KeyValueStore } from './keyvalue/keyvalue.ts'
import { FLUSH_BLOCKS, FLUSH_BYTES, SEGMENT_PART_BYTES } from './limits.ts'
import { openLogIndex } from './logs/logIndex.ts'
import { createTrieSnapshots } from './trieSnapshots.ts'
import { prefetch } from './reading/prefetch.ts'
import { decodeChainHead } from './codec/chainHead.ts'
import { headerKey } from './keys.ts'
import { REWIND_BLOCKS_MAX, REWIND_BYTES_MAX, rewindStore } from './recovery/rewind.ts'
import { commitOfSegment, recomputeNodes, recoverViews, segmentsAbove } from './recovery/recover.ts'
import { readRemovedTo } from './recovery/historyMark.ts'
import { advanceHistory, type HistorySettings, stopRemoval } from './pruning/removal.ts'
import { requireStateKept } from './historyPruned.ts'
import { removeParts } from './segments/segmentParts.ts'
import { createSegmentWriter } from './segments/segmentWriter.ts'
import { createStateReader, UnknownBlock } from './reading/stateReader.ts'
import type { ChainStore, RewindableStore } from './store.ts'
import { createFailures, fail, StoreFailed } from './storeFailed.ts'
import { createViews } from './views/views.ts'

export type ChainStoreOptions = {
  /** Unflushed blocks at which a flush starts. */
  readonly flushBlocks?: number
  /** Unflushed bytes at which a flush starts. */
  readonly flushBytes?: number
  /** Bytes of one part of a large segment. */
  readonly segmentPartBytes?: number
  /** Tolerates damaged block records, because the caller fetches them from other nodes. */
  readonly repairs?: boolean
  /** Removes all but the last blocks in the background; undefined to keep what there is. */
  readonly history?: HistorySettings | undefined
  /** Keeps the last blocks above the views, so that `rewind` can remove them; for development chains. */
  readonly rewinds?: boolean
  /**
   * The last block of another network that this chain continues. The key-value store has its head and reads everything
   * else of that network on demand (`pastKey` for earlier states); there is no trie.
   */
  readonly forkBlock?: number
}

/** Recovers the views and opens the parts of the store over them. */
const openParts = async (kv: KeyValueStore, options: ChainStoreOptions): Promise<StoreState> => {
  const { repairs = false, rewinds = false, forkBlock = -1 } = options
  const { flushBlocks = rewinds ? REWIND_BLOCKS_MAX : FLUSH_BLOCKS } = options
  const { flushBytes = rewinds ? REWIND_BYTES_MAX : FLUSH_BYTES } = options
  const { segmentPartBytes = SEGMENT_PART_BYTES } = options
  const recovered = await recoverViews(kv, repairs, forkBlock)
  const views = createViews(kv, recovered.flushedHeight?.number ?? -1)
  const memory = createChainMemory(views, recovered, forkBlock)
  const nodes = nodeReaderOf(memory)
  const segments = createSegmentWriter(kv)
  const failures = createFailures()
  const damage = createDamage(recovered.isWhole ? undefined : BigInt(views.flushedHeight))
  const blocks = createBlockReader(
    { get: key => segments.get(key), pause: () => kv.pause() },
    memory,
    number => reportDamage(damage, number),
    repairs ? 'it is fetched from the peers: ask for the block again in a moment' : undefined,
  )
  const logs = await openLogIndex(kv, {
    fetch: key => views.fetch(key),
    header: number => blocks.reads.header(number),
    logsOf: number => blocks.reads.logsOf(number),
    onFailed: cause => {
      fail(failures, new StoreFailed('bring the log index up to date', cause))
    },
    // A section would need the logs of all earlier blocks.
    isStored: forkBlock < 0,
    memory,
  })
  const store: StoreState = {
    kv,
    memory,
    nodes,
    snapshots: createTrieSnapshots(nodes),
    segments,
    blocks,
    logs,
    failures,
    damage,
    removal: {
      advance: () => advanceHistory(store),
      settings: options.history,
      durableStart: recovered.historyStart,
      removedTo: await readRemovedTo(kv),
      isHeightMarked: recovered.flushedHeight?.isPruned ?? false,
      running: undefined,
      writing: undefined,
      stopped: false,
    },
    flushDue: { blocks: flushBlocks, bytes: flushBytes },
    segmentPartBytes,
    undoable: rewinds ? [] : undefined,
    flushSequence: recovered.flushedHeight?.sequence ?? 0,
    flush: undefined,
    flushing: undefined,
    committing: false,
    writing: undefined,
    retrying: undefined,
    closed: false,
  }
  return store
}

/** Adds the blocks of the segments above the views to memory. @throws StoreCorruption, StoreFailed */
const replaySegments = async (store: StoreState, repairs: boolean): Promise<void> => {
  const { kv, memory, nodes, damage } = store
  // The blocks from a damaged segment on are fetched again from other nodes.
  const endBefore = (number: number): void => {
    damage.endedBefore = BigInt(number)
  }
  for await (const bytes of segmentsAbove(kv, memory.views.flushedHeight, repairs ? endBefore : undefined)) {
    const commit = commitOfSegment(bytes)
    const parentRoot = memory.head?.header.stateRoot
    flushWhenDue(store)
    await waitForViews(store)
    const added = await memory.views.run(() => recomputeNodes(nodes, parentRoot, commit))
    addBlock(store, { ...commit, nodes: added })
  }
  await removeParts(kv, headNumberOf(memory) + 1)
}

/**
 * Writes the views of a chain that has none yet: without their height an earlier release could not refuse the store. A failure
 * is one of the store, which retries.
 */
const markEmptyViews = async (store: StoreState): Promise<void> => {
  const { memory, undoable } = store
  if (memory.head === undefined || memory.views.flushedHeight >= 0 || undoable !== undefined) return
  await beginFlush(store).catch(() => undefined)
}

const flush = async (store: StoreState): Promise<void> => {
  await store.flushing
  await beginFlush(store)
  await store.logs.settled()
  await store.removal.running
  if (store.failures.current !== undefined) throw store.failures.current
}

const close = async (store: StoreState): Promise<void> => {
  if (store.closed) return
  store.closed = true
  try {
    await store.retrying?.catch(() => undefined)
    await stopRemoval(store)
    await store.flushing
    await beginFlush(store)
  } finally {
    await store.logs.close()
    await store.kv.close()
  }
}

type StateReads = Pick<
  ChainStore,
  | 'head'
  | 'genesisHash'
  | 'forkBlock'
  | 'historyStart'
  | 'pastHash'
  | 'stateAt'
  | 'nodes'
  | 'snapshotNodes'
  | 'prefetch'
  | 'run'
  | 'runAtOnce'
>

const stateReadsOf = ({ memory, nodes, snapshots }: StoreState): StateReads => {
  const { views } = memory
  return {
    head: () => memory.head,
    genesisHash: () => memory.genesisHash,
    forkBlock: () => (memory.forkBlock < 0 ? undefined : BigInt(memory.forkBlock)),
    historyStart: () => (memory.historyStart > 0 ? BigInt(memory.historyStart) : undefined),
    pastHash: number => {
      if (number < 0n || number >= BigInt(memory.forkBlock)) return undefined
      const head = views.node(headerKey(Number(number)))
      return head === undefined ? undefined : decodeChainHead(head).hash
    },
    stateAt: number => {
      const head = memory.head?.header.number
      if (head === undefined || number > head || number < 0n) throw new UnknownBlock(number, head)
      requireStateKept(memory, Number(number))
      return createStateReader(memory, Number(number))
    },
    nodes: () => nodes,
    snapshotNodes: () => snapshots.take(),
    prefetch: addresses =>
      views.run(() => {
        const { head } = memory
        if (head === undefined) return
        prefetch(createStateReader(memory, headNumberOf(memory)), nodes, head.header.stateRoot, addresses)
      }),
    run: synchronous => views.run(synchronous),
    runAtOnce: synchronous => views.runAtOnce(synchronous),
  }
}

/**
 * Opens the chain in a key-value store: finds the head and replays the segments above the views, at most
 * PENDING_BLOCKS_MAX of them unless the views were deleted.
 * @throws StoreCorruption when something committed is damaged; MalformedRecord for a store of another version.
 */
export const openChainStore = async (
  kv: KeyValueStore,
  options: ChainStoreOptions = {},
): Promise<RewindableStore> => {
  const store = await openParts(kv, options)
  const { blocks, logs, failures, damage } = store
  try {
    await replaySegments(store, options.repairs ?? false)
    await markEmptyViews(store)
  } catch (error) {
    // This store must not write any more when the caller opens the key-value store again.
    await store.flushing?.catch(() => undefined)
    await logs.close()
    throw error
  }
  logs.advance(store.memory.views.flushedHeight)
  advanceHistory(store)
  return {
    ...stateReadsOf(store),
    ...blocks.reads,
    chainId: () => readChainId(kv),
    recordChainId: chainId => writeChainId(kv, chainId),
    commit: (commit, durable) => commitBlock(store, commit, durable),
    settle: () => settle(store),
    failure: () => failures.current,
    retry: () => retry(store),
    onFailed: listener => subscribe(failures.listeners, listener),
    repair: record => repairRecord(store, record),
    damagedFrom: () => damage.damagedFrom,
    endedBefore: () => damage.endedBefore,
    onDamaged: listener => subscribe(damage.listeners, listener),
    searchLogs: logs.search,
    rewind: number => rewindStore(store, number),
    flush: () => flush(store),
    close: () => close(store),
  }
}
