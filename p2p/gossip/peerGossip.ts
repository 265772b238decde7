import type { PeerId } from '@libp2p/interface'
import type { NetworkHandlers, NetworkOptions } from '../network.ts'
import type { Log } from '../log.ts'
import type { ConnectionManager } from '../peers/connectionManager.ts'
import type { PeerEvents } from '../peers/events.ts'
import type { PeerEntry, PeerTable } from '../peers/peerTable.ts'
import type { Host } from '../transport/host.ts'
import { idOf, keyOfPeerId } from '../transport/identity.ts'
import { createGossipStreams } from './gossipStreams.ts'
import { createTransactionGossip, type TransactionGossip } from './transactions.ts'

/** gossipsub opens its stream by itself within this time after a node has connected. */
const GOSSIP_GRACE_MS = 1500

export type PeerGossipOptions = Pick<NetworkOptions, 'nowMs' | 'pause'> & {
  readonly host: Host
  readonly topic: string
  readonly table: PeerTable
  readonly connections: ConnectionManager
  readonly events: PeerEvents
  readonly handlers: NetworkHandlers
  readonly log: Log
}

export type PeerGossip = TransactionGossip & {
  /** Opens missing gossip streams. */
  reopenStreams(): void
}

const entryOf = (table: PeerTable, peerId: PeerId): PeerEntry | undefined => {
  const publicKey = keyOfPeerId(peerId)
  return publicKey === undefined ? undefined : table.get(idOf(publicKey))
}

/** Gossips transactions with the connected peers: finds the peer of a libp2p id, and reports misbehaviour. */
export const createPeerGossip = (options: PeerGossipOptions): PeerGossip => {
  const { host, topic, table, connections, events, handlers, log, nowMs } = options
  const streams = createGossipStreams(host, log, nowMs)

  const gossip = createTransactionGossip(host, topic, log, options, {
    onTransactions: async (from, transactions) => {
      // gossipsub does not deliver an ignored message again: wait for the status of a node that has just connected.
      const [libp2p] = entryOf(table, from) === undefined ? host.getConnections(from) : []
      if (libp2p !== undefined) await connections.connectionOf(libp2p)?.ready
      const entry = entryOf(table, from)
      return entry !== undefined && (await handlers.onTransactions(entry.peer, transactions)).isForwarded
    },
    onFlooding: from => {
      for (const {
        connections: [connection],
      } of table.all())
        if (connection?.libp2p.remotePeer.toString() === from)
          events.misbehaved.emit(connection, 'flooding', 'more transactions than allowed')
    },
    onInvalid: (from, detail) => {
      const connection = entryOf(table, from)?.connections[0]
      if (connection !== undefined) events.misbehaved.emit(connection, 'invalid-message', detail)
    },
  })

  const reopenStreams = (): void => {
    const settled = [...table.all()].flatMap(({ connections: [connection] }) =>
      connection?.stage === 'established' && nowMs() - connection.establishedAtMs >= GOSSIP_GRACE_MS
        ? [connection.libp2p]
        : [],
    )
    streams.reopen(settled, ({ remotePeer }) => {
      const entry = entryOf(table, remotePeer)
      if (entry === undefined) return
      log.debug('Gossip with {peer} resumed after a gap', { peer: entry.peer.enode })
      handlers.onGossip(entry.peer)
    })
  }

  return { ...gossip, reopenStreams }
}
