import { compareBytes } from '../../../core/bytes/bytes.ts'
import type { EthPeer } from '../eth/ethPeer.ts'
import { disconnectSession } from '../session/ending.ts'
import type { Session } from '../session/session.ts'

/**
 * Two connections within this time were dialed at once by both sides; a later one comes from a node that lost the earlier
 * one.
 */
const SIMULTANEOUS_MS = 5_000

/** Whether both sides dialed at once. */
export const isSimultaneous = (newer: Session, current: Session): boolean =>
  newer.inbound !== current.inbound && newer.openedAtMs - current.openedAtMs <= SIMULTANEOUS_MS

/** Whether the newer connection with a node replaces the existing one. */
const replaces = (ownKey: Uint8Array, newer: Session, current: Session): boolean => {
  if (!isSimultaneous(newer, current)) return true
  // As Besu decides: the one that the node with the smaller key dialed.
  const isNewerOurs = !newer.inbound
  return isNewerOurs === compareBytes(ownKey, newer.publicKey) < 0
}

export type EthPeerTable = {
  readonly size: number
  /** By the hex digits of the address. */
  get(id: string): EthPeer | undefined
  all(): Iterable<EthPeer>
  of(session: Session): EthPeer | undefined
  /**
   * Adds a node whose status and head are known. Of two connections with one node, one is disconnected.
   * @returns the peer that it replaces, itself when another is kept, undefined when it is the only one
   */
  add(peer: EthPeer): EthPeer | undefined
  /** Returns the peer when this was the connection with it. */
  remove(session: Session): EthPeer | undefined
}

/** The connected nodes, one connection of each. */
export const createEthPeerTable = (ownKey: Uint8Array): EthPeerTable => {
  const peers = new Map<string, EthPeer>()
  return {
    get size() {
      return peers.size
    },
    get: id => peers.get(id),
    all: () => peers.values(),
    of: session => {
      const peer = peers.get(session.id)
      return peer?.session === session ? peer : undefined
    },
    add: peer => {
      const { session } = peer
      const current = peers.get(session.id)
      if (current !== undefined && !replaces(ownKey, session, current.session)) {
        void disconnectSession(session, 'alreadyConnected', 'duplicate connection')
        return peer
      }
      peers.set(session.id, peer)
      if (current === undefined) return undefined
      void disconnectSession(current.session, 'alreadyConnected', 'duplicate connection')
      return current
    },
    remove: session => {
      const peer = peers.get(session.id)
      if (peer?.session !== session) return undefined
      peers.delete(session.id)
      return peer
    },
  }
}
