import type { Address, Hash } from '../bytes/bytes.ts'
import type { RecoveredTransaction } from '../block/transaction.ts'
import type { Rules } from '../genesis/configuration.ts'
import type { Explanation } from './explain.ts'
import type { PoolLimits } from './limits.ts'
import type { Overrun } from './overruns.ts'

/** An account in the state; one that does not exist has neither nonce nor balance nor code. */
export type PoolAccount = { readonly nonce: bigint; readonly balance: bigint; readonly hasCode: boolean }

/** The data of the chain with which the pool checks a transaction. */
export type PoolHead = {
  /** The rules at the next block. */
  readonly rules: Rules
  readonly blockGasLimit: bigint
  /** True if blocks may contain blob transactions; QBFT networks do not store blobs. */
  readonly acceptsBlobs: boolean
  /** Base fee of the next block; undefined before London. */
  readonly nextBaseFeePerGas: bigint | undefined
  /** Minimum wei per gas in blocks of this node. */
  readonly minGasPrice: bigint
  /** Minimum wei per gas above the base fee in blocks of this node. */
  readonly minPriorityFee: bigint
  readonly account: (sender: Address) => PoolAccount
  readonly code: (sender: Address) => Uint8Array
}

/** The origin of a transaction. */
export type PoolOrigin = {
  /** True for this node's RPC, false for a peer. */
  readonly local: boolean
  /** Milliseconds since 1970; old transactions are dropped. */
  readonly addedAtMs: number
}

export type PooledTransaction = RecoveredTransaction & PoolOrigin

/** Pending transactions, bounded, in nonce order per sender. Pure: no clock, no I/O. */
export type TransactionPool = {
  readonly limits: PoolLimits
  /**
   * Returns the sender's account. `origin` is local by default.
   * @throws TransactionRejected with Besu's code and text
   */
  add(transaction: RecoveredTransaction, head: PoolHead, origin?: PoolOrigin): PoolAccount
  get(hash: Hash): PooledTransaction | undefined
  /** The nonce after the sender's transactions that follow the account nonce without a gap; undefined without any. */
  nextNonce(sender: Address): bigint | undefined
  /**
   * Candidates for the next block, best price first and each sender's in nonce order. `skip(sender)` excludes the sender of
   * the last candidate, which did not fit.
   */
  candidates(head: PoolHead): { next(): RecoveredTransaction | undefined; skip(sender: Address): void }
  /** Removes the transactions of a committed block, and those that it made stale. */
  removeMined(transactions: readonly RecoveredTransaction[], head: PoolHead): void
  /** Reads the accounts of these senders again: a block may have changed their nonce or balance. */
  updateSenders(senders: readonly Address[], head: PoolHead): void
  /** The next `count` senders of a cyclic walk over all senders. */
  nextSenders(count: number): readonly Address[]
  /** Drops up to `countMax` transactions that arrived before this time (milliseconds since 1970); returns their number. */
  dropOlderThan(timeMs: number, countMax: number): number
  /** Drops a transaction that is not executable. */
  remove(hash: Hash): void
  /**
   * Records that a transaction was stopped during block building: it becomes the last candidate. The second time, all
   * transactions of its sender are dropped, and the sender is refused for SENDER_WAIT_MS (overruns.ts).
   */
  noteOverrun(recovered: RecoveredTransaction, reason: string, nowMs: number): Overrun
  /** True for a transaction that was stopped once. */
  isDeferred(hash: Hash): boolean
  readonly size: number
  /** When the oldest transaction arrived, in milliseconds since 1970; undefined while the pool is empty. */
  readonly oldestMs: number | undefined
  /** Number of accounts with pooled transactions. */
  readonly senderCount: number
  /** Sum of the encoded lengths. */
  readonly bytes: number
  /** True if the first transaction of any sender has the account's nonce and can be paid for. */
  readonly hasRunnable: boolean
  /** As `hasRunnable`, for one sender. */
  isRunnable(sender: Address): boolean
  /** True for a sender with pooled transactions that has a nonce or a balance, or that executable transactions of others pay. */
  isKnown(sender: Address): boolean
  /** Part of the room for senders that are not known in use, 0 to 1. */
  readonly unknownShareUsed: number
  /** All transactions, by sender and nonce. */
  list(): readonly PooledTransaction[]
  /** The transactions of a sender, by nonce; the first `ready` of them follow the account nonce without a gap. */
  ofSender(sender: Address): { readonly transactions: readonly PooledTransaction[]; readonly ready: number }
  /** Numbers of transactions that follow their account nonce without a gap, and of those behind a gap. */
  counts(): { readonly ready: number; readonly queued: number }
  /**
   * Explains in one sentence whether the next block can include the transaction; undefined when it is neither pooled nor was
   * dropped because it ran too long.
   */
  explain(hash: Hash, head: PoolHead): Explanation | undefined
  /** The listener is called after each admission. Returns the function that removes it. */
  onAdded(listener: (transaction: PooledTransaction) => void): () => void
  /** As `onAdded`, for each transaction dropped without being mined: replaced, displaced, evicted, stale or removed. */
  onDropped(listener: (transaction: PooledTransaction) => void): () => void
}
