import type { Hash } from '../../bytes/bytes.ts'
import type { TrieNodeReader } from '../../trie/nodes/node.ts'
import { createBlockReader } from '../reading/blockReader.ts'
import { decodeChainHead } from '../codec/chainHead.ts'
import { createMemtable } from '../flushing/memtable.ts'
import type { KeyValueStore } from '../keyvalue/keyvalue.ts'
import { headerKey } from '../keys.ts'
import { RECENT_BLOCKS } from '../limits.ts'
import type { ChainMemory } from '../chainMemory.ts'
import { createStateReader, UnknownBlock } from '../reading/stateReader.ts'
import type { ChainHead, ChainStore } from '../store.ts'
import type { Views } from '../views/views.ts'
import { ReadOnlyStore, StateUnavailable, refuseWrite } from './errors.ts'
import type { ReplicaHead } from './replicaHead.ts'
import { createReplicaLogSearch } from './replicaLogSearch.ts'
import { createReadViews, createReplicaTrie } from './replicaTrie.ts'

/** A replica at one head: readers do not see later blocks that the store receives. */
export type ReplicaSnapshot = ReplicaHead & { readonly head: ChainHead }

/** Hashes for BLOCKHASH: within a run a missing header is loaded; outside a run it is unknown. */
const createRecentHash = (views: () => Views, head: ChainHead) => {
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
    if (runs === 0 || wanted < 0n || wanted > number || number - wanted > BigInt(RECENT_BLOCKS))
      return undefined
    const stored = views().node(headerKey(Number(wanted)))
    return stored === undefined ? undefined : decodeChainHead(stored).hash
  }
  return { within, recentHash }
}

/** A read-only store, and the tries of earlier blocks. */
export type ReadStore = ChainStore & {
  /** Trie records after a block that has this state root; only within a run. */
  readonly trieAt: (number: bigint, root: Hash) => TrieNodeReader
  /** Forgets what was read: it may be forged. Readers of the state that are in use read again. */
  readonly forget: () => void
}

/** The functions of a store that write, or that are about failed writes. */
const WITHOUT_WRITES = {
  commit: refuseWrite,
  settle: () => Promise.resolve(),
  failure: () => undefined,
  retry: () => Promise.resolve(),
  onFailed: () => () => undefined,
  repair: refuseWrite,
  damagedFrom: () => undefined,
  endedBefore: () => undefined,
  onDamaged: () => () => undefined,
  snapshotNodes: () => {
    throw new ReadOnlyStore()
  },
  prefetch: () => Promise.resolve(),
  flush: () => Promise.resolve(),
  close: () => Promise.resolve(),
} satisfies Partial<ChainStore>

/**
 * The chain of a replica up to one head, read-only. Reads do not see later blocks that the store receives.
 * @param kv the store, usually with `withImmutableCache`
 * @param views caches of the state at this head, shared by the read stores of all requests at this head
 */
export const createReadStore = (
  kv: KeyValueStore,
  replica: ReplicaSnapshot,
  views: Views = createReadViews(kv),
): ReadStore => {
  const { head, genesisHash, logSections, contents } = replica
  const number = Number(head.header.number)
  const trie = createReplicaTrie(kv, replica, views)
  const memory: ChainMemory = {
    get views() {
      return trie.views()
    },
    recent: new Map([[number, head]]),
    head,
    genesisHash,
    active: createMemtable(),
    immutable: undefined,
    adding: undefined,
    forkBlock: -1,
    historyStart: 0,
  }
  const blocks = createBlockReader(kv, memory, () => undefined, undefined)
  const { within, recentHash } = createRecentHash(trie.views, head)
  const { reads } = blocks
  const trieAt = (wanted: bigint, root: Hash): TrieNodeReader => {
    if (contents !== 'chain') throw new StateUnavailable()
    return trie.at(Number(wanted), root)
  }
  return {
    ...reads,
    head: () => head,
    genesisHash: () => genesisHash,
    ...WITHOUT_WRITES,
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
    nodes: () => ({ get: key => trieAt(head.header.number, head.header.stateRoot).get(key) }),
    trieAt,
    forget: () => {
      trie.forget()
      blocks.discardAbove(-1)
    },
    run: synchronous => trie.run(within(synchronous)),
    runAtOnce: synchronous => trie.runAtOnce(within(synchronous)),
    searchLogs: createReplicaLogSearch({
      kv,
      fetch: key => views.fetch(key),
      sections: logSections,
      header: wanted => reads.header(wanted),
    }),
  }
}
