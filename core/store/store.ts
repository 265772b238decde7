import type { Address, Hash } from '../bytes/bytes.ts'
import type { Block } from '../chain/block.ts'
import type { Header } from '../chain/header.ts'
import type { Receipt } from '../chain/receipt.ts'
import type { StateChanges, StateReader } from '../state/account.ts'
import type { BlockLogs } from './logs/blockLogs.ts'
import type { LogBlocks } from './logs/logIndex.ts'
import type { LogPattern } from './logs/pattern.ts'
import type { NodeSnapshot } from './nodeSnapshots.ts'
import type { StoreFailed } from './storeFailed.ts'
import type { TrieNodeReader, TrieNodeWrite } from '../trie/node.ts'

/** Everything about one block that the store keeps; written as one durable value, the segment. */
export type BlockRecord = {
  readonly block: Block
  /** On-chain hash (QBFT: round and seals left out). */
  readonly hash: Hash
  readonly totalDifficulty: bigint
  /** One for each transaction, in order. */
  readonly senders: readonly Address[]
  readonly receipts: readonly Receipt[]
}

export type BlockCommit = BlockRecord & {
  /** With every `after.storageRoot` filled in. */
  readonly changes: StateChanges
  readonly nodes: readonly TrieNodeWrite[]
}

export type ChainHead = { readonly header: Header; readonly hash: Hash; readonly totalDifficulty: bigint }

export type TransactionLocation = { readonly blockNumber: bigint; readonly index: number }

/**
 * When a committed block is durable: `now`, before it is the head; `next`, it is being written while it is the head, and
 * durable before another one is; `soon`, with a later commit, `settle` or `flush`, or when it is one of many.
 */
export type Durable = 'now' | 'next' | 'soon'

/** The chain as it is kept: one canonical block per height, its state at every height, indexes by hash. */
export type ChainStore = {
  /** Undefined while the store is new and has no genesis block. */
  head(): ChainHead | undefined
  /** Makes block head + 1 (or the genesis) the head. It survives what the store's durability says when `durable` tells. */
  commit(commit: BlockCommit, durable?: Durable): Promise<void>
  /** Resolves when all committed blocks survive what the store's durability says. */
  settle(): Promise<void>

  /** Why commits are refused; undefined while writes succeed. */
  failure(): StoreFailed | undefined
  /**
   * After a failed write: makes up for everything that was not written, and takes commits again when that succeeds.
   * @throws StoreFailed while the cause is still there
   */
  retry(): Promise<void>
  /** Called once for each failure. Returns the function that unsubscribes. */
  onFailed(listener: (failure: StoreFailed) => void): () => void

  /** Hash of block 0, undefined while the store is new: tells a data directory of another chain. */
  genesisHash(): Hash | undefined

  header(number: bigint): Promise<Header | undefined>
  /** Header, hash and total difficulty of a block. */
  chainHead(number: bigint): Promise<ChainHead | undefined>
  /** Whether the record of that block is there, and as it was written. */
  hasRecord(number: bigint): Promise<boolean>
  /** Writes the record of a block below the head again. @throws CommitRefused for another block than the one on the chain */
  repair(record: BlockRecord & { readonly changes: StateChanges }): Promise<void>
  /** The highest block whose record was missing or damaged at the start, as those below it may be; undefined when it was whole. */
  damagedFrom(): bigint | undefined
  /** The block above the views whose record was damaged at the start, so that the chain ended before it; undefined when there was none. */
  endedBefore(): bigint | undefined
  /** Called with the number of a block whose record could not be read. Returns the function that unsubscribes. */
  onDamaged(listener: (number: bigint) => void): () => void
  record(number: bigint): Promise<BlockRecord | undefined>
  /** The logs of a block, at less cost than its record where few of them are looked into. @throws StoreCorruption */
  logsOf(number: bigint): Promise<BlockLogs | undefined>
  /** The segment as it was committed (segment.ts opens it), for copying a chain elsewhere. */
  recordBytes(number: bigint): Promise<Uint8Array | undefined>
  /** RLP of the block, without decoding it: for exports and raw reads. */
  blockBytes(number: bigint): Promise<Uint8Array | undefined>
  /** What the block did to the state, with the values before. */
  changesOf(number: bigint): Promise<StateChanges | undefined>
  numberOfHash(hash: Hash): Promise<bigint | undefined>
  /** From memory for the 256 blocks before the head, which is all BLOCKHASH can ask; undefined for others. */
  recentHash(number: bigint): Hash | undefined
  transactionLocation(hash: Hash): Promise<TransactionLocation | undefined>

  /** The state after that block; a synchronous reader that may throw MissingEntries. Throws when number is above the head. */
  stateAt(number: bigint): StateReader
  /** Trie records at the head. */
  nodes(): TrieNodeReader
  /** Trie records at this head, for as long as they are not released: for a reader that later blocks must not disturb. */
  snapshotNodes(): NodeSnapshot
  /**
   * Reads what a block that changes these accounts will need of the state and the trie at the head, so that it finds that
   * in memory: for whoever knows them before the block does.
   */
  prefetch(addresses: readonly Address[]): Promise<void>
  /** Runs a synchronous function over the store, loading what it misses and running it again. */
  run<T>(synchronous: () => T): Promise<T>
  /** The same; without a promise where nothing has to be loaded. */
  runAtOnce<T>(synchronous: () => T): T | Promise<T>

  /**
   * One step of a search for logs, to be gone on with behind `through` until that is `to`: blocks of `from` to `to` (the head
   * at most) that may have a wanted log, from an index and not from the logs themselves.
   * @throws StoreCorruption
   */
  searchLogs(pattern: LogPattern, from: bigint, to: bigint): Promise<LogBlocks>

  /** Brings the views up to date and waits for it; for tests and a clean stop. */
  flush(): Promise<void>
  close(): Promise<void>
}
