import type { Connection, PeerId } from '@libp2p/interface'
import { textOf } from './error.ts'
import type { Host } from './host.ts'
import type { NetworkLog } from './network.ts'

/** A stream that does not come, or not for long, is asked for once in this time: a peer that will have none costs no more. */
const AGAIN_AFTER_MS = 5_000

/** Of each version of gossipsub. */
const PROTOCOLS = '/meshsub/'

/** Whether gossip to the node has a stream, over whichever connection. */
export const speaksTo = (host: Host, peer: PeerId): boolean =>
  host
    .getConnections(peer)
    .some(({ streams }) =>
      streams.some(
        ({ protocol, direction, status }) =>
          direction === 'outbound' && status === 'open' && protocol.startsWith(PROTOCOLS),
      ),
    )

export type GossipStreams = {
  /** Looks at the nodes of these connections, and opens what is missing. `onMended` when gossip to a node goes on after a gap. */
  mend(connections: readonly Connection[], onMended: (connection: Connection) => void): void
}

/**
 * gossipsub opens its stream to a node on the first connection with it, and no other when that ends while the node stays
 * connected: from then on it would say nothing to that node. So it is where two nodes dial each other at the same moment,
 * for a while over two connections, and then give up the one that has the stream; or where a stream is reset.
 */
export const createGossipStreams = (host: Host, log: NetworkLog, nowMs: () => number): GossipStreams => {
  const { identify } = host.services
  const triedAtMs = new Map<string, number>()

  const open = async (connection: Connection, onMended: (connection: Connection) => void): Promise<void> => {
    try {
      // For gossipsub a node is there when it was identified.
      await identify.identify(connection)
      onMended(connection)
    } catch (error) {
      log.debug('Gossip with {peer} could not be taken up again: {reason}', {
        peer: connection.remotePeer.toString(),
        reason: textOf(error),
      })
    }
  }

  return {
    mend: (connections, onMended) => {
      const now = nowMs()
      const missing = connections.filter(({ remotePeer }) => !speaksTo(host, remotePeer))
      const names = new Set(connections.map(({ remotePeer }) => remotePeer.toString()))
      for (const name of triedAtMs.keys()) if (!names.has(name)) triedAtMs.delete(name)
      for (const connection of missing) {
        const name = connection.remotePeer.toString()
        // A clock that was set back makes nobody wait for longer.
        if (Math.abs(now - (triedAtMs.get(name) ?? -Infinity)) < AGAIN_AFTER_MS) continue
        triedAtMs.set(name, now)
        void open(connection, onMended)
      }
    },
  }
}
