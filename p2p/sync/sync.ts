import type { Block } from '../../core/block/block.ts'
import type { Address } from '../../core/bytes/bytes.ts'
import type { SyncingStatus } from '../../core/chain/syncingStatus.ts'
import type { Network, NetworkHandlers } from '../network.ts'
import type { GenesisDifference } from '../../core/genesis/comparison/genesisDifference.ts'

/** Keeps the chain and the transaction pool level with those of the peers. */
export type Sync = {
  /** Handlers of the network for everything but consensus. */
  readonly handlers: Omit<NetworkHandlers, 'roleOf' | 'onConsensusMessage'>
  /** To be called once, when the network listens. */
  attach(network: Network): void
  /** Undefined while the chain is level with the peers. */
  progress(): SyncingStatus | undefined
  /** As `progress()`, and also before a download begins or where no peer keeps the next block; undefined with a fresh head. */
  lag(): SyncingStatus | undefined
  /** Calls the listener when `progress()` becomes defined or undefined. Consensus pauses in between. */
  onProgress(listener: () => void): () => void
  /** To be called when a consensus message implies that the peer has blocks up to this number. */
  raisePeerHead(peer: Address, number: bigint): void
  /** Announces a block that this node committed. */
  committed(block: Block): Promise<void>
  /** Nodes whose genesis file or transitions differ, for the operator. */
  differences(): readonly GenesisDifference[]
  stop(): Promise<void>
}
