import { equalBytes } from '../bytes/bytes.ts'
import { createBlockReader } from './blockReader.ts'
import { checkedValue, withChecksum, withChecksumSteps } from './checksum.ts'
import { CommitRefused, checkCommit } from './commitCheck.ts'
import { createFlush, type Flush } from './flushing/flush.ts'
import type { KeyValueStore } from './keyvalue.ts'
import { nodeKey, ROOM_KEY, segmentKey } from './keys.ts'
import { addChangesSteps, addHead, createMemtable, type Memtable } from './flushing/memtable.ts'
import {
  FLUSH_BLOCKS,
  FLUSH_BYTES,
  YIELDING_ITEMS,
  PENDING_BLOCKS_MAX,
  PENDING_BYTES_MAX,
  RECENT_BLOCKS,
  ROOM_BYTES,
} from './limits.ts'
import { commitOfSegment, recoverViews, recomputeNodes, segmentsAbove } from './recover.ts'
import { openLogIndex } from './logs/logIndex.ts'
import { encodeSegment, encodeSegmentSteps } from './segment.ts'
import { createSegmentWriter } from './segmentWriter.ts'
import { createStateReader, UnknownBlock } from './stateReader.ts'
import type { BlockCommit, ChainHead, ChainStore } from './store.ts'
import { StoreFailed } from './storeFailed.ts'
import { runSteps, runStepsYielding } from '../steps.ts'
import { createNodeSnapshots } from './nodeSnapshots.ts'
import { createTrieCache } from '../trie/cache.ts'
import { prefetch } from './prefetch.ts'
import { createViews } from './views.ts'

export type ChainStoreOptions = {
  /** Unflushed blocks at which a flush starts. */
  readonly flushBlocks?: number
  /** Unflushed bytes at which a flush starts. */
  readonly flushBytes?: number
  /** Tolerates damaged block records, because the caller fetches them from other nodes. */
  readonly repairs?: boolean
}

/** Bytes of log data, as a power of two, that take as long as a log. */
const LOG_DATA_SHIFT = 10

/** The number of transactions, logs, accounts and slots of a commit. */
const itemsOf = ({ block, receipts, changes }: BlockCommit): number => {
  let items = block.transactions.length + changes.accounts.length
  for (const { slots } of changes.accounts) items += slots.length
  for (const { logs } of receipts) for (const { data } of logs) items += 1 + (data.length >> LOG_DATA_SHIFT)
  return items
}

/**
 * Opens the chain in a key-value store: finds the head and replays the segments above the views, at most
 * PENDING_BLOCKS_MAX of them unless the views were deleted.
 * @throws StoreCorruption when something committed is damaged; MalformedRecord for a store of another version.
 */
export const openChainStore = async (
  kv: KeyValueStore,
  { flushBlocks = FLUSH_BLOCKS, flushBytes = FLUSH_BYTES, repairs = false }: ChainStoreOptions = {},
): Promise<ChainStore> => {
  const start = await recoverViews(kv, repairs)
  const views = createViews(kv, start.flushedHeight?.number ?? -1)
  const heads = new Map(start.heads.map(head => [Number(head.header.number), head]))
  let head: ChainHead | undefined = start.heads.at(-1)
  let genesisHash = start.flushedHeight?.genesisHash
  let active = createMemtable()
  let immutable: Memtable | undefined
  let sequence = start.flushedHeight?.sequence ?? 0
  let flush: Flush | undefined
  let flushing: Promise<void> | undefined
  /** Set while `active` has changes of a block that is not the head yet. */
  let adding: Promise<void> | undefined
  let committing = false
  /** The write of a block that is the head already. */
  let writing: Promise<void> | undefined
  let failure: StoreFailed | undefined
  let retrying: Promise<void> | undefined
  const failureListeners = new Set<(failure: StoreFailed) => void>()
  let closed = false

  /** The first failure stays until a retry succeeds. */
  const fail = (next: StoreFailed): StoreFailed => {
    if (failure !== undefined) return failure
    failure = next
    for (const listener of failureListeners) listener(next)
    return next
  }

  const nodes = {
    get: (key: string): Uint8Array | undefined => {
      const recent = active.nodes.get(key)
      if (recent !== undefined || active.nodes.has(key)) return recent
      const flushed = immutable?.nodes.get(key)
      if (flushed !== undefined || immutable?.nodes.has(key) === true) return flushed
      return views.node(nodeKey(key))
    },
    cache: createTrieCache(),
  }
  const snapshots = createNodeSnapshots(nodes)
  const sources = {
    views,
    get active() {
      return active
    },
    get immutable() {
      return immutable
    },
    get headNumber() {
      return head === undefined ? -1 : Number(head.header.number)
    },
  }
  const segments = createSegmentWriter(kv)
  const blockSource = { get: (key: string) => segments.get(key), pause: () => kv.pause() }
  const damageListeners = new Set<(number: bigint) => void>()
  let endedBefore: bigint | undefined
  let damagedFrom = start.isWhole ? undefined : BigInt(views.flushedHeight)
  const remedy = repairs ? 'it is fetched from the peers: ask for the block again in a moment' : undefined
  const reportDamaged = (number: number): void => {
    for (const listener of damageListeners) listener(BigInt(number))
  }
  const blocks = createBlockReader(blockSource, sources, heads, reportDamaged, remedy)
  const logs = await openLogIndex(kv, {
    fetch: key => views.fetch(key),
    header: number => blocks.reads.header(number),
    logsOf: number => blocks.reads.logsOf(number),
    onFailed: cause => {
      fail(new StoreFailed('bring the log index up to date', cause))
    },
  })

  /** @throws StoreFailed */
  const writeSegments = async (number: bigint | number): Promise<void> => {
    try {
      await segments.write()
    } catch (cause) {
      throw fail(new StoreFailed(`commit block ${number}`, cause))
    }
  }
  /** As `writeSegments`; a caller that does not wait learns of a failure from the next commit. */
  const beginSegments = (number: bigint): Promise<void> => {
    const written = writeSegments(number)
    written.catch(() => undefined)
    return written
  }

  const newFlush = (): Flush => {
    const memtable = active
    const { header, hash } = memtable.heads.at(-1) as ChainHead
    const flushedHeight = {
      number: Number(header.number),
      hash,
      genesisHash: genesisHash ?? hash,
      sequence: sequence + 1,
    }
    immutable = memtable
    active = createMemtable()
    return createFlush(kv, views, memtable, flushedHeight)
  }

  /** After a failure the memtable stays in memory over whatever was written of it, so reads continue. */
  const runFlush = async (running: Flush): Promise<void> => {
    // The views must never contain blocks whose segments are missing.
    await segments.write()
    await running.run()
    sequence = running.flushedHeight.sequence
    immutable = undefined
    flush = undefined
    logs.advance(running.flushedHeight.number)
  }

  const flushActive = async (): Promise<void> => {
    try {
      await runFlush((flush = newFlush()))
    } catch (cause) {
      throw fail(new StoreFailed('bring the views up to date', cause))
    }
  }

  /** Starts a flush unless one is running or there is nothing to flush. */
  const beginFlush = (): Promise<void> => {
    if (flushing !== undefined) return flushing
    if (adding !== undefined) return adding.then(beginFlush, beginFlush)
    if (failure !== undefined || flush !== undefined || active.heads.length === 0) return Promise.resolve()
    flushing = flushActive().finally(() => {
      flushing = undefined
    })
    // A failure is kept in `failure` and reported by the next commit; nobody may be waiting for this promise.
    flushing.catch(() => {})
    return flushing
  }

  const isFarBehind = (): boolean =>
    active.heads.length + (immutable?.heads.length ?? 0) >= PENDING_BLOCKS_MAX ||
    active.bytes + (immutable?.bytes ?? 0) >= PENDING_BYTES_MAX

  /** Waits while the views are too far behind. @throws StoreFailed */
  const waitForViews = async (): Promise<void> => {
    while (isFarBehind()) {
      await beginFlush()
      if (failure !== undefined) throw failure
    }
  }

  /** Makes the block, whose changes are in the memtable, the head. */
  const addToHead = (commit: BlockCommit): void => {
    snapshots.keep(commit.nodes)
    addHead(active, commit)
    const number = Number(commit.block.header.number)
    head = active.heads.at(-1) as ChainHead
    if (number === 0) genesisHash = commit.hash
    heads.set(number, head)
    heads.delete(number - RECENT_BLOCKS - 1)
    logs.add(number, commit.receipts)
  }
  /**
   * Adds a large block with its changes: until it is the head, readers ignore the changes, and a flush waits. @throws
   * StoreFailed
   */
  const addBlockYielding = async (commit: BlockCommit): Promise<void> => {
    try {
      await runStepsYielding(addChangesSteps(active, commit), () => kv.pause())
      addToHead(commit)
    } catch (cause) {
      // A partly added block must not be flushed.
      throw fail(new StoreFailed(`take block ${commit.block.header.number} into memory`, cause, 'restart'))
    } finally {
      adding = undefined
    }
  }
  const addBlock = (commit: BlockCommit): void => {
    runSteps(addChangesSteps(active, commit))
    addToHead(commit)
  }
  const flushWhenDue = (): void => {
    if (active.heads.length >= flushBlocks || active.bytes >= flushBytes) void beginFlush()
  }

  /** Checks the segments above the views, which a recovery of the store may have lost and which memory cannot restore. */
  const requireSegments = async (): Promise<void> => {
    for (let number = views.flushedHeight + 1; number <= sources.headNumber; number++) {
      const key = segmentKey(number)
      const stored = await kv.get(key)
      if (stored === undefined || checkedValue(key, stored) === undefined)
        throw new StoreFailed(
          'recover from a failed write',
          new Error(`block ${number} is not there any more`),
          'restart',
        )
      await kv.pause()
    }
  }

  const recoverFrom = async (failed: StoreFailed): Promise<void> => {
    if (failed.remedy === 'restart') throw failed
    await Promise.allSettled([flushing, adding, writing])
    try {
      await kv.recover?.()
      await kv.setDurably({ key: ROOM_KEY, value: new Uint8Array(ROOM_BYTES) })
      await kv.set([{ key: ROOM_KEY, value: undefined }])
      segments.reset()
      await segments.write()
      await requireSegments()
      if (flush !== undefined) await runFlush(flush)
    } catch (cause) {
      failure = cause instanceof StoreFailed ? cause : new StoreFailed('be written to again', cause)
      throw failure
    }
    writing = undefined
    failure = undefined
    logs.resume()
  }

  try {
    // The blocks above a damaged segment are fetched again and are the same.
    const endBefore = (number: number): void => {
      endedBefore = BigInt(number)
    }
    const onDamaged = repairs ? endBefore : undefined
    for await (const bytes of segmentsAbove(kv, views.flushedHeight, onDamaged)) {
      const commit = commitOfSegment(bytes)
      const parentRoot = head?.header.stateRoot
      flushWhenDue()
      await waitForViews()
      const added = await views.run(() => recomputeNodes(nodes, parentRoot, commit))
      addBlock({ ...commit, nodes: added })
    }
  } catch (error) {
    // This store must not be writing when the next one opens.
    await flushing?.catch(() => undefined)
    await logs.close()
    throw error
  }
  logs.advance(views.flushedHeight)

  return {
    head: () => head,
    genesisHash: () => genesisHash,
    commit: async (commit, durable = 'now') => {
      if (failure !== undefined) throw failure
      if (closed || committing)
        throw new CommitRefused(closed ? 'the store is closed' : 'another commit is running')
      checkCommit(head, commit)
      committing = true
      try {
        await writing
        await waitForViews()
        const key = segmentKey(Number(commit.block.header.number))
        const isLarge = itemsOf(commit) >= YIELDING_ITEMS
        const steps = encodeSegmentSteps(commit)
        const segment = isLarge ? await runStepsYielding(steps, () => kv.pause()) : runSteps(steps)
        if (isLarge) await kv.pause()
        const summed = withChecksumSteps(key, segment)
        segments.add(key, isLarge ? await runStepsYielding(summed, () => kv.pause()) : runSteps(summed))
        if (durable !== 'soon' || segments.isFull) writing = beginSegments(commit.block.header.number)
        if (durable !== 'next')
          await writing?.catch((error: unknown) => {
            // The block does not become the head.
            segments.remove(key)
            throw error
          })
        if (isLarge) await kv.pause()
        if (isLarge) await (adding = addBlockYielding(commit))
        else addBlock(commit)
        blocks.remember(commit, segment.length)
        flushWhenDue()
      } finally {
        committing = false
      }
    },
    repair: async record => {
      const { number } = record.block.header
      const known = await blocks.reads.chainHead(number)
      if (known === undefined || !equalBytes(known.hash, record.hash))
        throw new CommitRefused(`block ${number} of the repair is not the one on the chain`)
      const key = segmentKey(Number(number))
      const value = withChecksum(key, encodeSegment({ ...record, nodes: [] }))
      await kv.setDurably({ key, value })
      if (damagedFrom === number) damagedFrom = undefined
    },
    damagedFrom: () => damagedFrom,
    endedBefore: () => endedBefore,
    onDamaged: listener => {
      damageListeners.add(listener)
      return () => {
        damageListeners.delete(listener)
      }
    },
    settle: () => writeSegments(sources.headNumber),
    failure: () => failure,
    retry: async () => {
      if (failure === undefined || closed) return
      retrying ??= recoverFrom(failure).finally(() => {
        retrying = undefined
      })
      await retrying
    },
    onFailed: listener => {
      failureListeners.add(listener)
      return () => {
        failureListeners.delete(listener)
      }
    },
    ...blocks.reads,
    stateAt: number => {
      if (head === undefined || number > head.header.number || number < 0n)
        throw new UnknownBlock(number, head?.header.number)
      return createStateReader(sources, Number(number))
    },
    nodes: () => nodes,
    snapshotNodes: () => snapshots.take(),
    prefetch: addresses =>
      views.run(() => {
        if (head === undefined) return
        const state = createStateReader(sources, sources.headNumber)
        prefetch(state, nodes, head.header.stateRoot, addresses)
      }),
    run: synchronous => views.run(synchronous),
    runAtOnce: synchronous => views.runAtOnce(synchronous),
    searchLogs: logs.search,
    flush: async () => {
      await flushing
      await beginFlush()
      await logs.settled()
      if (failure !== undefined) throw failure
    },
    close: async () => {
      if (closed) return
      closed = true
      try {
        await retrying?.catch(() => undefined)
        await flushing
        await beginFlush()
      } finally {
        await logs.close()
        await kv.close()
      }
    },
  }
}
