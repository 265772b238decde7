import type { Address } from '../../core/bytes/bytes.ts'
import type { Network, Peer } from '../../p2p/network.ts'
import type { ConsensusReport } from './reports/consensusReport.ts'
import type { WriteTimes } from './reports/writeClock.ts'

/** The running consensus of one node. */
export type RunningConsensus = {
  /** Handles a message of a peer. Invalid messages are counted and lower the peer's score. */
  message(peer: Peer, code: number, data: Uint8Array): void
  /** The validators whose messages are used; undefined during the initial sync. */
  validators(): readonly Address[] | undefined
  /** A peer has (re)connected: a validator gets the messages it missed. */
  peerConnected(peer: Peer): void
  /** Called once, when the network listens. A single validator needs no network. */
  attach(network: Network): void
  /** The current round of the next block; undefined while this node takes no part in consensus. */
  round(): number | undefined
  /** What consensus has seen lately, for operators. */
  report(): ConsensusReport
  /** When the current round ends, milliseconds since 1970; undefined while none runs. */
  roundEndsMs(): number | undefined
  /** Why this validator sends no signatures; undefined while its record can be written. */
  failure(): string | undefined
  /** The invariant of consensus that was broken, after which this validator signs nothing; undefined while all hold. */
  brokenInvariant(): string | undefined
  /** Why the validators of the next block cannot be read; undefined while they can. */
  validatorsFailure(): string | undefined
  writes(): WriteTimes
  /** The gas to which this validator limits its blocks after undecided rounds; undefined for that of the chain. */
  proposalGasMax(): bigint | undefined
  /**
   * Resolves when the proposal of the current round, if there is one, has become a block: the others may need this node's
   * signature for it. At once without a quorum of connected validators; after a limit in any case.
   */
  finishHeight(): Promise<void>
  /** Resolves when a block in progress is committed. */
  stop(): Promise<void>
}
