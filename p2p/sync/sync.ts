import type { Address } from '../../core/bytes/bytes.ts'
import type { Block } from '../../core/block/block.ts'
import type { SyncingStatus } from '../../core/chain/syncingStatus.ts'
import type { Network, NetworkHandlers } from '../network.ts'

/** Synchronization of the chain and the transaction pool with the peers. */
export type Sync = {
  readonly handlers: Pick<
    NetworkHandlers,
    | 'status'
    | 'onTransactions'
    | 'onNewBlock'
    | 'blocks'
    | 'poolHashes'
    | 'poolTransactions'
    | 'headers'
    | 'blocksByHash'
    | 'receiptsByHash'
    | 'onPeer'
    | 'onGossip'
    | 'onStatus'
    | 'onPeerGone'
    | 'onRefused'
  >
  /** Called once, when the network stands. */
  attach(network: Network): void
  /** Undefined when the chain is level with what the peers have told of. */
  progress(): SyncingStatus | undefined
  /** Called when `progress()` begins or ends to be undefined: consensus rests in between. */
  onProgress(listener: () => void): () => void
  /** A consensus message told that the peer has blocks up to this number. */
  heardOf(peer: Address, number: bigint): void
  /** A block this node committed itself, to be told to others. */
  committed(block: Block): Promise<void>
  /** What an operator must know to go on: peers whose genesis file or transitions differ, by the names of the entries. */
  differences(): readonly { readonly peer: string; readonly entries: readonly string[] }[]
  stop(): Promise<void>
}
