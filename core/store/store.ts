import type { Address, Hash } from '../bytes/bytes.ts'
import type { Block } from '../block/block.ts'
import type { Header } from '../block/header.ts'
import type { Receipt } from '../block/receipt.ts'
import type { StateChanges, StateReader } from '../state/account.ts'
import type { BlockLogs } from './logs/blockLogs.ts'
import type { LogBlocks } from './logs/searchIndex.ts'
import type { LogPattern } from './logs/pattern.ts'
import type { TrieSnapshot } from './trieSnapshots.ts'
import type { StoreFailed } from './storeFailed.ts'
import type { TrieNodeReader, TrieNodeWrite } from '../trie/nodes/node.ts'

/** All data that the store keeps about one block. It is written as one durable value, the segment. */
export type BlockRecord = {
  readonly block: Block
  /** On-chain hash (in QBFT without round and seals). */
  readonly hash: Hash
  readonly totalDifficulty: bigint
  /** One for each transaction, in order. */
  readonly senders: readonly Address[]
  readonly receipts: readonly Receipt[]
}

export type BlockCommit = BlockRecord & {
  /** With every `after.storageRoot` set. */
  readonly changes: StateChanges
  readonly nodes: readonly TrieNodeWrite[]
}

export type ChainHead = { readonly header: Header; readonly hash: Hash; readonly totalDifficulty: bigint }

export type TransactionLocation = { readonly blockNumber: bigint; readonly index: number }

/**
 * When a committed block becomes durable. `now`: before it becomes the head. `next`: it is written after it has become the
 * head, and is durable before the next block becomes the head. `soon`: with a later commit, `settle` or `flush`, or when
 * many blocks wait.
 */
export type Durable = 'now' | 'next' | 'soon'

/** The stored chain: one canonical block per height, its state at every height, indexes by hash. */
export type ChainStore = {
  /** Undefined while the store has no genesis block. */
  head(): ChainHead | undefined
  /** Makes block head + 1 (or the genesis block) the head; `durable` says when it becomes durable. */
  commit(commit: BlockCommit, durable?: Durable): Promise<void>
  /** Resolves when all committed blocks are as durable as the key-value store promises. */
  settle(): Promise<void>

  /** The failure because of which commits are refused; undefined while writes succeed. */
  failure(): StoreFailed | undefined
  /**
   * After a failed write: writes all missing data, and then accepts commits again.
   * @throws StoreFailed while the cause persists
   */
  retry(): Promise<void>
  /** Calls the listener once for each failure. Returns the function that unsubscribes it. */
  onFailed(listener: (failure: StoreFailed) => void): () => void

  /** Hash of block 0, which identifies the chain of a data directory; undefined while the store is new. */
  genesisHash(): Hash | undefined

  /** The chain id that `recordChainId` recorded; undefined while there is none. Where a chain is opened, a store has both. */
  chainId?(): Promise<bigint | undefined>
  recordChainId?(chainId: bigint): Promise<void>

  /** The last block of another network that this chain continues; undefined on a chain of its own. */
  forkBlock?(): bigint | undefined

  /**
   * The first block whose content, and after whose parent the state, is kept; undefined while all are. The genesis block and
   * all headers are kept, too. Reads of anything earlier throw HistoryPruned.
   */
  historyStart?(): bigint | undefined

  header(number: bigint): Promise<Header | undefined>
  /** Header, hash and total difficulty of a block. */
  chainHead(number: bigint): Promise<ChainHead | undefined>
  /** True when the record of that block is stored and undamaged; false if it was removed. */
  hasRecord(number: bigint): Promise<boolean>
  /**
   * Writes the record of a block below the head again. @throws CommitRefused for another block than the one on the chain
   */
  repair(record: BlockRecord & { readonly changes: StateChanges }): Promise<void>
  /**
   * The highest block whose record was missing or damaged at the start (earlier ones may be, too); undefined if it was
   * undamaged.
   */
  damagedFrom(): bigint | undefined
  /**
   * The block above the views whose record was damaged at the start, at which the replayed chain ended; undefined if there
   * was none.
   */
  endedBefore(): bigint | undefined
  /**
   * Calls the listener with the number of a block whose record could not be read. Returns the function that unsubscribes
   * it.
   */
  onDamaged(listener: (number: bigint) => void): () => void
  /** @throws HistoryPruned, StoreCorruption */
  record(number: bigint): Promise<BlockRecord | undefined>
  /** The logs of a block; cheaper than its record when the caller uses few logs. @throws HistoryPruned, StoreCorruption */
  logsOf(number: bigint): Promise<BlockLogs | undefined>
  /** The encoded segment (segment.ts decodes it), for copying a chain. @throws HistoryPruned, StoreCorruption */
  recordBytes(number: bigint): Promise<Uint8Array | undefined>
  /** RLP of the block, for exports and raw reads. */
  blockBytes(number: bigint): Promise<Uint8Array | undefined>
  /** The state changes of the block, with the values before. */
  changesOf(number: bigint): Promise<StateChanges | undefined>
  numberOfHash(hash: Hash): Promise<bigint | undefined>
  /** From memory for the 256 blocks before the head, which BLOCKHASH can access; undefined for others. */
  recentHash(number: bigint): Hash | undefined
  /** On a forked chain, the hash of a block below the fork block; only called within `run`. */
  pastHash?(number: bigint): Hash | undefined
  /** Undefined for a transaction of a block that was removed, too. */
  transactionLocation(hash: Hash): Promise<TransactionLocation | undefined>

  /**
   * A synchronous reader of the state after that block; it may throw MissingEntries, and HistoryPruned once that state was
   * removed. @throws UnknownBlock above the head; HistoryPruned
   */
  stateAt(number: bigint): StateReader
  /** Trie records at the head. */
  nodes(): TrieNodeReader
  /** A snapshot of the trie records at the current head, which later blocks do not change. The caller releases it. */
  snapshotNodes(): TrieSnapshot
  /** Reads the accounts and trie branches that a block changing these accounts will need, so that they are in memory. */
  prefetch(addresses: readonly Address[]): Promise<void>
  /** Runs a synchronous function over the store; loads the entries that it misses and runs it again. */
  run<T>(synchronous: () => T): Promise<T>
  /** As `run`, but returns the result without a promise if all entries are in memory. */
  runAtOnce<T>(synchronous: () => T): T | Promise<T>

  /**
   * One step of a log search, to be continued after `through` until that is `to`: the blocks of `from` to `to` (at most the
   * head) that may have a matching log, by an index rather than by the logs.
   * @throws HistoryPruned when the range begins before the kept blocks; StoreCorruption
   */
  searchLogs(pattern: LogPattern, from: bigint, to: bigint): Promise<LogBlocks>

  /** Resolves when the views have reached the head; for tests and a clean stop. */
  flush(): Promise<void>
  close(): Promise<void>
}

/** A chain store that can go back; for development chains. */
export type RewindableStore = ChainStore & {
  /**
   * Makes an earlier block the head again and deletes all later ones.
   * @throws RewindRefused for a block below the views, and in a store that is not rewindable
   */
  rewind(number: bigint): Promise<void>
}
