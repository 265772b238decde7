import type { Hash } from '../../bytes/bytes.ts'
import { createBlockReader } from '../blockReader.ts'
import { decodeChainHead } from '../codec/chainHead.ts'
import { createMemtable } from '../flushing/memtable.ts'
import type { KeyValueStore } from '../keyvalue.ts'
import { headerKey, nodeKey } from '../keys.ts'
import { LOG_SECTION_BLOCKS } from '../limits.ts'
import { bloomMayMatch } from '../logs/pattern.ts'
import { searchSection } from '../logs/section.ts'
import type { ChainMemory } from '../chainMemory.ts'
import { createStateReader, UnknownBlock } from '../stateReader.ts'
import type { ChainHead, ChainStore } from '../store.ts'
import { createViews, type Views } from '../views.ts'
import type { ReplicaHead } from './replicaHead.ts'

/** A replica at one head: later blocks are not seen, whatever the store gets meanwhile. */
export type ReplicaSnapshot = ReplicaHead & { readonly head: ChainHead }

const readOnly = (): Promise<never> => Promise.reject(new ReadOnlyStore())

/** How far back BLOCKHASH reaches (EVM). */
const BLOCK_HASHES = 256

/** Headers read in one step of a log search, where no section of the index has them. */
const HEADERS_AT_ONCE = 64

const searchLogs = (
  kv: KeyValueStore,
  views: Views,
  logSections: number,
  header: ChainStore['header'],
): ChainStore['searchLogs'] => {
  const loadHeaders = async (first: number, last: number): Promise<void> => {
    const keys = Array.from({ length: last - first + 1 }, (_, index) => headerKey(first + index))
    // They are kept by the cache under this store.
    await kv.getMany?.(keys)
  }
  return async (pattern, from, to) => {
    const section = Math.floor(Number(from) / LOG_SECTION_BLOCKS)
    const first = section * LOG_SECTION_BLOCKS
    const numbers: bigint[] = []
    if (section < logSections) {
      const last = Math.min(Number(to), first + LOG_SECTION_BLOCKS - 1)
      for (const offset of await searchSection(key => views.fetch(key), section, pattern)) {
        const number = first + offset
        if (number >= Number(from) && number <= last) numbers.push(BigInt(number))
      }
      return { numbers, through: BigInt(last) }
    }
    const last = Math.min(Number(to), Number(from) + HEADERS_AT_ONCE - 1)
    await loadHeaders(Number(from), last)
    for (let number = from; number <= BigInt(last); number++) {
      const bloom = (await header(number))?.logsBloom
      if (bloom !== undefined && bloomMayMatch(bloom, pattern)) numbers.push(number)
    }
    return { numbers, through: BigInt(last) }
  }
}

/** Hashes for BLOCKHASH: within a run a header that is not there is loaded, outside of runs it is unknown. */
const createRecentHash = (views: Views, head: ChainHead) => {
  const { number } = head.header
  let runs = 0
  const within =
    <T>(synchronous: () => T): (() => T) =>
    () => {
      runs++
      try {
        return synchronous()
      } finally {
        runs--
      }
    }
  const recentHash = (wanted: bigint): Hash | undefined => {
    if (wanted === number) return head.hash
    if (runs === 0 || wanted < 0n || wanted > number || number - wanted > BigInt(BLOCK_HASHES))
      return undefined
    const stored = views.node(headerKey(Number(wanted)))
    return stored === undefined ? undefined : decodeChainHead(stored).hash
  }
  return { within, recentHash }
}

/** The views of a replica. Records may be of later blocks than the head of a reader: their history is always consulted. */
export const createReadViews = (kv: KeyValueStore): Views =>
  createViews({ ...kv, getSync: undefined }, Number.MAX_SAFE_INTEGER)

/**
 * The chain of a replica up to one head, read-only. Every read is of that head, except for trie records: those are of the
 * head that the store has when they are read, so that a proof at an earlier one fails with TrieCorruption.
 * @param kv the store, best behind `withImmutableCache`
 * @param views what was read of the state at this head; shared by stores of one head, each of one request
 */
export const createReadStore = (
  kv: KeyValueStore,
  replica: ReplicaSnapshot,
  views: Views = createReadViews(kv),
): ChainStore => {
  const { head, genesisHash, logSections, contents } = replica
  const number = Number(head.header.number)
  const memory: ChainMemory = {
    views,
    recent: new Map([[number, head]]),
    head,
    genesisHash,
    active: createMemtable(),
    immutable: undefined,
    adding: undefined,
  }
  const blocks = createBlockReader(kv, memory, () => undefined, undefined)
  const { within, recentHash } = createRecentHash(views, head)
  const { reads } = blocks
  return {
    ...reads,
    head: () => head,
    genesisHash: () => genesisHash,
    commit: readOnly,
    settle: () => Promise.resolve(),
    failure: () => undefined,
    retry: () => Promise.resolve(),
    onFailed: () => () => undefined,
    repair: readOnly,
    damagedFrom: () => undefined,
    endedBefore: () => undefined,
    onDamaged: () => () => undefined,
    numberOfHash: async hash => {
      const found = await reads.numberOfHash(hash)
      return found === undefined || found > head.header.number ? undefined : found
    },
    transactionLocation: async hash => {
      const found = await reads.transactionLocation(hash)
      return found === undefined || found.blockNumber > head.header.number ? undefined : found
    },
    recentHash,
    stateAt: wanted => {
      if (contents !== 'chain') throw new StateUnavailable()
      if (wanted > head.header.number || wanted < 0n) throw new UnknownBlock(wanted, head.header.number)
      return createStateReader(memory, Number(wanted))
    },
    nodes: () => {
      if (contents !== 'chain') throw new StateUnavailable()
      return { get: key => views.node(nodeKey(key)) }
    },
    snapshotNodes: () => {
      throw new ReadOnlyStore()
    },
    prefetch: () => Promise.resolve(),
    run: synchronous => views.run(within(synchronous)),
    runAtOnce: synchronous => views.runAtOnce(within(synchronous)),
    searchLogs: searchLogs(kv, views, logSections, wanted => reads.header(wanted)),
    flush: () => Promise.resolve(),
    close: () => Promise.resolve(),
  }
}

/** A write to a store that is read-only here. */
export class ReadOnlyStore extends Error {
  override readonly name = 'ReadOnlyStore'
  readonly code = 'READ_ONLY_STORE'
  constructor() {
    super('this store is a replica: only the node that fills it writes to it')
  }
}

/** A read of accounts in a replica that has blocks only. */
export class StateUnavailable extends Error {
  override readonly name = 'StateUnavailable'
  readonly code = 'STATE_UNAVAILABLE'
  constructor() {
    super(
      'this replica has blocks, receipts and logs, but no state: ask a node or a reader of a whole replica',
    )
  }
}
