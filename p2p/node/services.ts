import { errorText } from '../../core/text/errorText.ts'
import { createBlockExchange } from '../blocks/blockExchange.ts'
import { NetworkError } from '../error.ts'
import { createPeerGossip } from '../gossip/peerGossip.ts'
import type { PeerConnection } from '../peers/connection.ts'
import { createDiscovery } from '../peers/discovery.ts'
import { createStatusBroadcast } from '../peers/statusBroadcast.ts'
import type { Host } from '../transport/host.ts'
import type { Base } from './base.ts'
import type { Peers } from './peers.ts'

/** A node takes part in consensus if it sent a consensus message within this time. */
const CONSENSUS_RECENT_MS = 30_000

/** Creates what runs over the connections: new blocks, status broadcast, discovery and gossip. */
export const createServices = (base: Base, { connections, learn }: Peers, host: Host) => {
  const { options, log, handlers, protocols, table, events, state } = base
  const { nowMs, pause } = options
  const onInvalidMessage = (connection: PeerConnection, cause: unknown): void => {
    const oversized = cause instanceof NetworkError && cause.code === 'OVERSIZED'
    events.misbehaved.emit(connection, oversized ? 'oversized-message' : 'invalid-message', errorText(cause))
    connections.close(connection, `an invalid message: ${errorText(cause)}`, false)
  }
  const blocks = createBlockExchange({
    protocol: protocols.blocks,
    table,
    log,
    nowMs,
    pause,
    headNumber: () => handlers.status().headNumber,
    participates: () => nowMs() - state.consensusSentAtMs < CONSENSUS_RECENT_MS,
    onBlock: (connection, block) => {
      const entry = table.get(connection.id)
      if (entry !== undefined) handlers.onNewBlock(entry.peer, block)
    },
    onFlooding: connection =>
      events.misbehaved.emit(connection, 'flooding', 'more block messages than allowed'),
    onFailure: onInvalidMessage,
    onChannelFailure: (connection, reason) => connections.close(connection, reason, false),
  })
  return {
    onInvalidMessage,
    blocks,
    statusBroadcast: createStatusBroadcast(nowMs, () => connections.broadcastStatusUpdate()),
    discovery: createDiscovery({
      table,
      log,
      learn,
      protocol: protocols.peers,
      wantsPeers: () => options.discovery && !state.isStopped && table.size < options.maxPeers,
    }),
    gossip: createPeerGossip({
      host,
      topic: protocols.transactions,
      table,
      connections,
      events,
      handlers,
      log,
      nowMs,
      pause,
    }),
  }
}

export type Services = ReturnType<typeof createServices>
