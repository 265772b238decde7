import type { Address, Hash } from '../bytes/bytes.ts'
import type { SenderTransaction } from '../block/transaction.ts'
import type { Rules } from '../genesis/configuration.ts'
import type { Explanation } from './explain.ts'
import type { PoolLimits } from './limits.ts'
import type { Overrun } from './overruns.ts'

/** What the pool must know of the chain to judge a transaction. */
export type PoolHead = {
  /** Of the next block. */
  readonly rules: Rules
  readonly blockGasLimit: bigint
  /** Whether blocks may hold blob transactions; those of QBFT do not, as nothing keeps blobs there. */
  readonly takesBlobs: boolean
  /** Base fee of the next block; undefined before London. */
  readonly nextBaseFeePerGas: bigint | undefined
  /** Wei per gas that blocks of this node ask for. */
  readonly minGasPrice: bigint
  /** Wei per gas that blocks of this node ask for above the base fee. */
  readonly minPriorityFee: bigint
  readonly nonce: (sender: Address) => bigint
  readonly balance: (sender: Address) => bigint
  readonly code: (sender: Address) => Uint8Array
}

/** Where a transaction came from. */
export type PoolOrigin = {
  /** True from this node's RPC, false from a peer. */
  readonly local: boolean
  /** Milliseconds since 1970; transactions leave the pool when they are old. */
  readonly addedAtMs: number
}

export type PooledTransaction = SenderTransaction & PoolOrigin

/** Pending transactions, bounded, in nonce order per sender. Pure: no clock, no I/O. */
export type TransactionPool = {
  readonly limits: PoolLimits
  /** `origin` is local when left out. @throws TransactionRejected with Besu's code and text. */
  add(transaction: SenderTransaction, head: PoolHead, origin?: PoolOrigin): void
  get(hash: Hash): PooledTransaction | undefined
  /** Nonce after the sender's last gapless pooled transaction, undefined when it has none. */
  nextNonce(sender: Address): bigint | undefined
  /**
   * What may stand in the next block, best price first and each sender's in nonce order. `skip(sender)` tells that the
   * last one given did not fit: no more from its sender.
   */
  candidates(head: PoolHead): { next(): SenderTransaction | undefined; skip(sender: Address): void }
  /** Drops what these made stale and looks at the accounts they concern; called after their block is committed. */
  removeMined(transactions: readonly SenderTransaction[], head: PoolHead): void
  /** Looks at the accounts of these senders again: a block may have changed what they can pay. */
  updateSenders(senders: readonly Address[], head: PoolHead): void
  /** So many of the pooled senders, others at each call, until all had their turn. */
  nextSenders(count: number): readonly Address[]
  /** Drops transactions that came before this time (milliseconds since 1970), `countMax` at most; gives how many. */
  dropOlderThan(timeMs: number, countMax: number): number
  /** Drops one transaction that turned out not to be executable. */
  remove(hash: Hash): void
  /**
   * Notes that a transaction was stopped while a block was built: it is taken after all others, once. The second time all of
   * its sender are dropped, and none is taken of it for SENDER_WAIT_MS (overruns.ts).
   */
  noteOverrun(sent: SenderTransaction, reason: string, nowMs: number): Overrun
  /** True for a transaction that was stopped once. */
  isDeferred(hash: Hash): boolean
  readonly size: number
  /** How many accounts have transactions in it. */
  readonly senderCount: number
  /** Sum of the encoded lengths. */
  readonly bytes: number
  /** Whether any sender's first transaction follows its account nonce and can be paid for. */
  readonly hasRunnable: boolean
  /** The same of one sender. */
  isRunnable(sender: Address): boolean
  /** All of them, by sender and nonce. */
  list(): readonly PooledTransaction[]
  /** Those of one sender, by nonce; the first `ready` of them follow the account nonce without a gap. */
  ofSender(sender: Address): { readonly transactions: readonly PooledTransaction[]; readonly ready: number }
  /** How many follow their account nonce without a gap, and how many wait behind one. */
  counts(): { readonly ready: number; readonly queued: number }
  /**
   * In one sentence, why the next block takes the transaction or does not; undefined when it is neither pooled nor was
   * dropped for running too long.
   */
  explain(hash: Hash, head: PoolHead): Explanation | undefined
  /** Called after each admission. Returns the function that unsubscribes. */
  onAdded(listener: (transaction: PooledTransaction) => void): () => void
  /** Called for each transaction that left without being mined: replaced, displaced, stale or removed. */
  onDropped(listener: (transaction: PooledTransaction) => void): () => void
}
