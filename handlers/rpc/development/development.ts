import type { Address, Hash } from '../../../core/bytes/bytes.ts'
import type { ChosenHeaderValues } from '../../../core/chain/chain.ts'
import type { UnsignedTransaction } from '../../../core/block/codec/transactionItem.ts'
import type { RecoveredTransaction } from '../../../core/block/transaction.ts'
import type { Signature } from '../../../core/crypto/engine.ts'
import type { StateEdit } from '../../../core/state/edits.ts'
import type { BlockRecord, ChainHead } from '../../../core/store/store.ts'

import type { ConsoleRun } from './console/console.ts'

/** When blocks are produced: for each transaction, at an interval, or only on request. */
export type MiningMode =
  | { readonly kind: 'automatic' }
  | { readonly kind: 'interval'; readonly ms: number }
  | { readonly kind: 'manual' }

export type DevelopmentMiner = {
  mode(): MiningMode
  setMode(mode: MiningMode): void
  /** With automatic blocks, resolves when the transactions that were just sent have their block, made at once. */
  mineSent(): Promise<void>
  /**
   * Produces several blocks in turn, with the transactions of the pool.
   * @param beforeBlock called before each block with the number of those made; it may set the clock
   */
  mine(count: number, beforeBlock?: (made: number) => void): Promise<void>
}

/** The timestamps of new blocks, in seconds. */
export type DevelopmentClock = {
  /** Adds to the time of all later blocks. Returns how far it is ahead of the machine's. */
  increase(seconds: bigint): bigint
  /** Sets the timestamp of the next block; later ones continue from it. False if it is before the head's. */
  setNext(timestamp: bigint): boolean
  /** Sets the time from now on. Returns how far it is ahead of the time that was due, 0 if it is not. */
  setTime(timestamp: bigint): bigint
  /** The fixed time between two blocks; undefined to follow the clock. Returns whether one was set before. */
  setInterval(seconds: bigint | undefined): boolean
}

/** Values of later headers that a user has chosen; undefined for those of the rules. */
export type HeaderChoice = {
  /** The account that gets the fees, until it is set again. */
  readonly coinbase: Address | undefined
  /** Values of the next block alone. */
  readonly next: ChosenHeaderValues
}

/** Which network a reset asks to fork. */
export type ForkingRequest = {
  /** Undefined for the network that the chain forks already. */
  readonly url: string | undefined
  /** Undefined for the block that it forks already, or for the head of another network. */
  readonly block: number | undefined
}

export type ForkedNetwork = {
  readonly url: string
  readonly chainId: number
  /** The last block of the network on this chain. */
  readonly number: number
  readonly hash: Hash
}

/** A snapshot and the block that the chain goes back to. */
export type SnapshotPoint = { readonly id: bigint; readonly number: bigint; readonly hash: Hash }

/** The chain was reverted to an earlier block. */
export type Rewound = {
  readonly head: ChainHead
  /** The blocks that left the chain, the latest first; at most REMOVED_BLOCKS_MAX of them. */
  readonly removed: readonly BlockRecord[]
}

/** Maximum number of removed blocks whose logs are notified as removed. */
export const REMOVED_BLOCKS_MAX = 256

/** Functions that only a development chain offers. */
export type RpcDevelopment = {
  /** The accounts whose keys the node holds. */
  readonly accounts: readonly Address[]
  readonly miner: DevelopmentMiner
  readonly clock: DevelopmentClock
  /** Signs a hash; undefined for an account whose key the node does not hold. */
  signHash(account: Address, hash: Hash): Signature | undefined
  /** Signs a transaction, or impersonates its sender; undefined for an account that is neither unlocked nor impersonated. */
  signTransaction(account: Address, transaction: UnsignedTransaction): RecoveredTransaction | undefined
  /** @throws DevelopmentRefused when too many are */
  impersonate(account: Address, isOn: boolean): void
  impersonateAll(isOn: boolean): void
  /** A transaction of this sender without a signature. */
  unsigned(account: Address, transaction: UnsignedTransaction): RecoveredTransaction
  /** Sets values of later headers; the others keep their value. @throws DevelopmentRefused */
  setHeader(choice: Partial<HeaderChoice>): Promise<void>
  /** Collects what one run prints with `console.log`. */
  console(): ConsoleRun
  /** Enables or disables the log. */
  setLogging(isOn: boolean): void
  /** Changes the state after the head. @throws DevelopmentRefused */
  edit(edit: StateEdit): Promise<void>
  /** Takes a snapshot of the chain, the pool and the clock. Returns the number of the snapshot. */
  snapshot(): bigint
  /** The snapshots that the chain can go back to, oldest first. */
  snapshots(): readonly SnapshotPoint[]
  /** Reverts to a snapshot and deletes it and later ones; false for an unknown one. @throws DevelopmentRefused */
  revert(snapshot: bigint): Promise<boolean>
  /** Reverts to the block that many blocks before the head. @throws DevelopmentRefused */
  rollBack(depth: bigint): Promise<void>
  /**
   * Begins the chain again: at its genesis block, or at a block of another network that it forks from then on.
   * @throws DevelopmentRefused; RpcError `FORK_UNAVAILABLE`
   */
  reset(forking: ForkingRequest | undefined): Promise<void>
  /** The network that the chain forks; undefined for a chain of its own. */
  fork(): ForkedNetwork | undefined
  /** The listener is called each time the chain is reverted. */
  onRewind(listener: (rewound: Rewound) => void): void
  /** As `onRewind`, and after each edit of the state. */
  onChange(listener: () => void): void
}

/** The chain cannot do this, for the reason in the message; nothing was changed. */
export class DevelopmentRefused extends Error {
  override readonly name = 'DevelopmentRefused'
  readonly code = 'DEVELOPMENT_REFUSED'
}
