import type { Hash } from '../../../core/bytes/bytes.ts'
import type { Peer } from '../../network.ts'
import { createRecentHashes, type RecentHashes } from '../../gossip/recentHashes.ts'
import type { EthVersion } from '../base/capabilities.ts'
import type { Session } from '../session/session.ts'
import { createPendingRequests, type PendingRequests } from './pendingRequests.ts'

/** Transactions that a peer is known to have: GoQuorum remembers as many. */
const KNOWN_TRANSACTIONS_MAX = 32_768
/** Blocks that a peer is known to have; only the last few are ever looked up. */
const KNOWN_BLOCKS_MAX = 256

/** A connected node whose status and head are known. */
export type EthPeer = {
  readonly session: Session
  readonly version: EthVersion
  readonly requests: PendingRequests
  readonly knownTransactions: RecentHashes
  readonly knownBlocks: RecentHashes
  /** Hashes of transactions that it announced during the sync of this node, to be fetched afterwards; the latest last. */
  announced: Hash[]
  /** Aborts the answers and fetches of this peer when it disconnects. */
  readonly controller: AbortController
  peer: Peer
}

export const createEthPeer = (session: Session, version: EthVersion, peer: Peer): EthPeer => ({
  session,
  version,
  requests: createPendingRequests(),
  knownTransactions: createRecentHashes(KNOWN_TRANSACTIONS_MAX),
  knownBlocks: createRecentHashes(KNOWN_BLOCKS_MAX),
  announced: [],
  controller: new AbortController(),
  peer,
})

/** Queues a message of eth; false when the peer does not read. */
export const sendEth = ({ session }: EthPeer, code: number, payload: Uint8Array): boolean =>
  session.agreed !== undefined &&
  session.outbox.send('eth', { id: session.agreed.eth.offset + code, payload })
