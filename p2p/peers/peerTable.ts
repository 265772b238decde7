import { type Address, compareBytes } from '../../core/bytes/bytes.ts'
import { toBareHex, toHex } from '../../core/bytes/hex.ts'
import { NetworkError } from '../error.ts'
import type { PeerConnection } from './connection.ts'
import type { Peer } from '../network.ts'

/** A connected node. When both sides dialed at once, it has two connections for a while. */
export type PeerEntry = {
  peer: Peer
  /** Messages are sent over the first one. */
  readonly connections: PeerConnection[]
}

export type PeerTable = {
  readonly size: number
  get(id: string): PeerEntry | undefined
  all(): Iterable<PeerEntry>
  /** The node of this address, which a validator statement may have given it. */
  ofAddress(address: Address): PeerEntry | undefined
  /** The connection to send over. */
  connection(id: string): PeerConnection | undefined
  /** Adds an established connection; it becomes the first one if it is better than the others of that node. */
  add(connection: PeerConnection, peer: Peer): PeerEntry
  /** Returns the peer if that was its last connection. */
  remove(connection: PeerConnection): Peer | undefined
}

export const createPeerTable = (ownKey: Uint8Array): PeerTable => {
  const entries = new Map<string, PeerEntry>()
  /** Ids by the hex digits of the address. */
  const ids = new Map<string, string>()

  /** Both sides choose the same connection: the one that the node with the lower key dialed, and the newer of two such. */
  const isBetter = (next: PeerConnection, current: PeerConnection): boolean => {
    if (next.inbound === current.inbound) return true
    const isOursToDial = compareBytes(ownKey, next.publicKey) < 0
    return next.inbound !== isOursToDial
  }

  return {
    get size() {
      return entries.size
    },
    get: id => entries.get(id),
    all: () => entries.values(),
    ofAddress: address => entries.get(ids.get(toBareHex(address)) ?? ''),
    connection: id => entries.get(id)?.connections[0],
    add: (connection, peer) => {
      const entry = entries.get(connection.id)
      if (entry === undefined) {
        const created = { peer, connections: [connection] }
        entries.set(connection.id, created)
        ids.set(toBareHex(peer.address), connection.id)
        return created
      }
      const current = entry.connections[0]
      if (current === undefined || isBetter(connection, current)) {
        entry.connections.unshift(connection)
        entry.peer = { ...peer, connectedAtMs: entry.peer.connectedAtMs }
      } else entry.connections.push(connection)
      return entry
    },
    remove: connection => {
      const entry = entries.get(connection.id)
      const index = entry?.connections.indexOf(connection) ?? -1
      if (entry === undefined || index < 0) return undefined
      entry.connections.splice(index, 1)
      if (entry.connections.length > 0) return undefined
      entries.delete(connection.id)
      const address = toBareHex(entry.peer.address)
      if (ids.get(address) === connection.id) ids.delete(address)
      return entry.peer
    },
  }
}

/** The connection to send over. @throws NetworkError when the peer is not connected */
export const connectionWith = (table: PeerTable, { address }: Peer): PeerConnection => {
  const connection = table.ofAddress(address)?.connections[0]
  if (connection === undefined) throw new NetworkError('NOT_CONNECTED', `${toHex(address)} is not connected`)
  return connection
}
