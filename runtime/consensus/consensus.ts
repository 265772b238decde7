import type { Address } from '../../core/bytes/bytes.ts'
import type { Network, Peer } from '../../p2p/network.ts'

/** The consensus of one node, as long as it runs. */
export type Consensus = {
  /** A message of another node, as it came; what is wrong with it is counted and held against the peer. */
  message(peer: Peer, code: number, data: Uint8Array): void
  /** Whose messages are used now; undefined where that is unknown. */
  validators(): readonly Address[] | undefined
  /** A node is connected (again): a validator that missed what was sent gets it. */
  peerConnected(peer: Peer): void
  /** Called once, when the network stands. A lone validator needs none. */
  attach(network: Network): void
  /** In which round the next block is being decided; undefined while this node takes no part in it. */
  round(): number | undefined
  /** Why nothing that this validator signs leaves it; undefined while its records can be written. */
  failure(): string | undefined
  /** Why no block is decided; undefined while blocks are. */
  stall(): string | undefined
  /** Resolves when a block under way is committed. */
  stop(): Promise<void>
}
