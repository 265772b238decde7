import type { Address, Hash } from '../bytes/bytes.ts'
import type { SenderTransaction } from '../chain/transaction.ts'

/** What the pool must know of the chain to judge a transaction. */
export type PoolHead = {
  readonly blockGasLimit: bigint
  /** Base fee of the next block; undefined before London. */
  readonly nextBaseFeePerGas: bigint | undefined
  readonly nonce: (sender: Address) => bigint
  readonly balance: (sender: Address) => bigint
}

/** Pending transactions, bounded, in nonce order per sender. Pure: no clock, no I/O. */
export type TransactionPool = {
  /** @throws TransactionRejected with Besu's code and text. */
  add(transaction: SenderTransaction, head: PoolHead): void
  get(hash: Hash): SenderTransaction | undefined
  /** Nonce after the sender's last gapless pooled transaction, undefined when it has none. */
  nextNonce(sender: Address): bigint | undefined
  /**
   * What may stand in the next block, best price first and each sender's in nonce order. `skip(sender)` tells that the
   * last one given did not fit: no more from its sender.
   */
  candidates(head: PoolHead): { next(): SenderTransaction | undefined; skip(sender: Address): void }
  /** Drops what the new head made stale. */
  removeMined(transactions: readonly SenderTransaction[], head: PoolHead): void
  /** Drops one transaction that turned out not to be executable. */
  remove(hash: Hash): void
  readonly size: number
  /** All of them, by sender and nonce. */
  list(): readonly SenderTransaction[]
}
