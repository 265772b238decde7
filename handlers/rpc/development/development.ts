import type { Address, Hash } from '../../../core/bytes/bytes.ts'
import type { UnsignedTransaction } from '../../../core/block/codec/transactionItem.ts'
import type { SenderTransaction } from '../../../core/block/transaction.ts'
import type { Signature } from '../../../core/crypto/engine.ts'
import type { StateEdit } from '../../../core/state/edits.ts'
import type { BlockRecord, ChainHead } from '../../../core/store/store.ts'

/** When blocks are made: as transactions come, in an interval, or on request alone. */
export type MiningMode =
  | { readonly kind: 'automatic' }
  | { readonly kind: 'interval'; readonly ms: number }
  | { readonly kind: 'manual' }

export type DevelopmentMiner = {
  mode(): MiningMode
  setMode(mode: MiningMode): void
  /**
   * Makes so many blocks, one after the other, with what the pool has.
   * @param intervalSeconds time between their timestamps; undefined for that of the clock
   */
  mine(count: number, intervalSeconds?: bigint): Promise<void>
}

/** The timestamps of new blocks, in seconds. */
export type DevelopmentClock = {
  /** Adds to the time of all later blocks. Returns the sum of all additions. */
  increase(seconds: bigint): bigint
  /** Sets the timestamp of the next block alone; later ones go on from there. False for one before the head's. */
  setNext(timestamp: bigint): boolean
  /** Sets the time from now on. */
  setTime(timestamp: bigint): void
  /** The fixed time between two blocks; undefined for that of the clock. */
  setInterval(seconds: bigint | undefined): void
}

/** The chain went back. */
export type Rewound = {
  readonly head: ChainHead
  /** The blocks that left the chain, the latest first; at most REMOVED_BLOCKS_MAX of them. */
  readonly removed: readonly BlockRecord[]
}

/** Removed blocks whose logs subscribers are told about. */
export const REMOVED_BLOCKS_MAX = 256

/** What a development chain lets its users do, and no other chain. */
export type RpcDevelopment = {
  /** The accounts whose keys the node holds. */
  readonly accounts: readonly Address[]
  readonly miner: DevelopmentMiner
  readonly clock: DevelopmentClock
  /** Signs a hash; undefined for an account whose key the node does not hold. */
  signHash(account: Address, hash: Hash): Signature | undefined
  /** Signs a transaction, or stands in for its sender; undefined for an account that is neither unlocked nor impersonated. */
  signTransaction(account: Address, transaction: UnsignedTransaction): SenderTransaction | undefined
  impersonate(account: Address, isOn: boolean): void
  impersonateAll(isOn: boolean): void
  /** Changes the state after the head. @throws DevelopmentRefused */
  edit(edit: StateEdit): Promise<void>
  /** Remembers the chain, the pool and the clock. Returns the number of the snapshot. */
  snapshot(): bigint
  /** Goes back to a snapshot and forgets it and later ones; false for an unknown one. @throws DevelopmentRefused */
  revert(snapshot: bigint): Promise<boolean>
  /** Goes back to the genesis block. @throws DevelopmentRefused */
  reset(): Promise<void>
  /** The listener is called each time the chain went back. */
  onRewind(listener: (rewound: Rewound) => void): void
}

/** The chain cannot do this, for the reason in the message; nothing was changed. */
export class DevelopmentRefused extends Error {
  override readonly name = 'DevelopmentRefused'
  readonly code = 'DEVELOPMENT_REFUSED'
}
