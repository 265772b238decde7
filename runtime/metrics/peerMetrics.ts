import type { Peer } from '../../p2p/network.ts'
import type { ConnectionCounts } from '../threads/network/connectionCounts.ts'
import type { Meters } from './registry.ts'

/** Limits on the client names of peers: characters of a label, and number of labels. */
const CLIENT_LENGTH_MAX = 32
const CLIENTS_MAX = 16

export type PeerSources = {
  readonly peers: () => readonly Pick<Peer, 'status'>[]
  readonly peerLimit: number
  readonly connectionCounts: () => ConnectionCounts
}

/** The first part of a client version, `quorate` of `quorate/v1.0.0/linux-x64`, if it is a plain word. */
const clientName = ({ status }: Pick<Peer, 'status'>): string => {
  const [name = ''] = status.client.split('/')
  return name.length <= CLIENT_LENGTH_MAX && /^[\w.-]+$/.test(name) ? name : 'other'
}

const collectClients = async (meters: Meters, peers: readonly Pick<Peer, 'status'>[]): Promise<void> => {
  const counts = new Map<string, number>()
  for (const peer of peers) {
    const name = clientName(peer)
    const client = counts.has(name) || counts.size < CLIENTS_MAX ? name : 'other'
    counts.set(client, (counts.get(client) ?? 0) + 1)
  }
  await meters.prune('besu_peers_peer_count_by_client', ({ client }) => counts.has(client ?? ''))
  for (const [client, count] of counts) meters.set('besu_peers_peer_count_by_client', count, { client })
}

export type PeerObserver = { connected(): void; disconnected(): void }

/** Metrics of the connections with other nodes; the observer is to be called by the network. */
export const createPeerMetrics = (
  meters: Meters,
  { peers, peerLimit, connectionCounts }: PeerSources,
): PeerObserver => {
  meters.inc('besu_peers_connected_total', {}, 0)
  meters.inc('besu_peers_disconnected_total', {}, 0)
  meters.onCollect(async () => {
    const connected = peers()
    meters.set('ethereum_peer_count', connected.length)
    meters.set('ethereum_peer_limit', peerLimit)
    meters.set('ethereum_peer_count_incomplete', connectionCounts().incomplete)
    await collectClients(meters, connected)
  })
  return {
    connected: () => meters.inc('besu_peers_connected_total'),
    disconnected: () => meters.inc('besu_peers_disconnected_total'),
  }
}
