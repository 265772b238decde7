import { errorText } from '../../core/text/errorText.ts'
import type { Connection, PeerId } from '@libp2p/interface'
import type { Host } from '../transport/host.ts'
import type { Log } from '../log.ts'

/** Interval between two attempts to open a stream to one peer. */
const RETRY_INTERVAL_MS = 5_000

/** Protocol prefix of all gossipsub versions. */
const PROTOCOLS = '/meshsub/'

/** True if an outbound gossip stream to the node is open on any connection. */
export const hasGossipStream = (host: Host, peer: PeerId): boolean =>
  host
    .getConnections(peer)
    .some(({ streams }) =>
      streams.some(
        ({ protocol, direction, status }) =>
          direction === 'outbound' && status === 'open' && protocol.startsWith(PROTOCOLS),
      ),
    )

export type GossipStreams = {
  /** Opens missing streams to the nodes of these connections. `onReopened` is called when gossip resumed after a gap. */
  reopen(connections: readonly Connection[], onReopened: (connection: Connection) => void): void
}

/**
 * Reopens gossip streams. gossipsub opens its stream to a node on the first connection only: when the stream ends while the node
 * stays connected, gossip to that node stops. This happens when two nodes dial each other at the same moment and then close the
 * connection that has the stream, or when a stream is reset.
 */
export const createGossipStreams = (host: Host, log: Log, nowMs: () => number): GossipStreams => {
  const { identify } = host.services
  const triedAtMs = new Map<string, number>()

  const open = async (
    connection: Connection,
    onReopened: (connection: Connection) => void,
  ): Promise<void> => {
    try {
      // gossipsub opens its stream when a node has been identified.
      await identify.identify(connection)
      onReopened(connection)
    } catch (error) {
      log.debug('Gossip with {peer} could not be resumed: {reason}', {
        peer: connection.remotePeer.toString(),
        reason: errorText(error),
      })
    }
  }

  return {
    reopen: (connections, onReopened) => {
      const now = nowMs()
      const missing = connections.filter(({ remotePeer }) => !hasGossipStream(host, remotePeer))
      const names = new Set(connections.map(({ remotePeer }) => remotePeer.toString()))
      for (const name of triedAtMs.keys()) if (!names.has(name)) triedAtMs.delete(name)
      for (const connection of missing) {
        const name = connection.remotePeer.toString()
        // The absolute value: a clock that was set back must not prolong the wait.
        if (Math.abs(now - (triedAtMs.get(name) ?? -Infinity)) < RETRY_INTERVAL_MS) continue
        triedAtMs.set(name, now)
        void open(connection, onReopened)
      }
    },
  }
}
