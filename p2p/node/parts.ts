import type { Misbehaviour } from '../network.ts'
import { errorText } from '../../core/text/errorText.ts'
import { nameOf } from '../peers/connection.ts'
import type { Host } from '../transport/host.ts'
import type { Base } from './base.ts'
import type { Peers } from './peers.ts'
import type { Services } from './services.ts'

export type Parts = Base & Peers & Services & { readonly host: Host }

/** Of the text, what a goodbye holds with the rest of its reason. */
const DETAIL_LENGTH_MAX = 220

/** The reason that a banned peer is told, once: the rule that its block breaks, as its operator may be able to mend that. */
const banReason = (what: Misbehaviour, detail: string): string =>
  what === 'invalid-block' ? `banned: ${what}: ${detail.slice(0, DETAIL_LENGTH_MAX)}` : `banned: ${what}`

/** Opens missing gossip streams, unless the network stops. */
export const reopenGossip = ({ state, gossip }: Parts): void => {
  if (!state.isStopped) gossip.reopenStreams()
}

/** Connects the parts with the events of peers and of the host. */
export const connectParts = (parts: Parts): void => {
  const { table, events, log, handlers, host, scoring, dialer, connections } = parts
  events.established.on((connection, first) => {
    dialer.onConnected(connection.id)
    if (!first) return
    log.debug('Connected with {peer}', { peer: nameOf(connection) })
    parts.statusBroadcast.request()
    parts.discovery.ask(connection)
  })
  events.ended.on((connection, peer, reason) => {
    const { id, refused, keyInUse } = connection
    dialer.onEnded(id, { reason, wasEstablished: peer !== undefined, refused, keyInUse })
    // libp2p keeps an entry for each key it has seen: without this, keys of short-lived nodes pile up.
    host.peerStore
      .delete(connection.libp2p.remotePeer)
      .catch(error => log.debug('A peer could not be forgotten: {reason}', { reason: errorText(error) }))
    if (peer === undefined) return
    log.debug('Lost {peer}: {reason}', { peer: nameOf(connection), reason })
    parts.blocks.disconnected(id)
    handlers.onPeerDisconnected(peer, reason)
    parts.statusBroadcast.request()
  })
  events.misbehaved.on((connection, what, detail) => {
    if (!scoring.report(connection.id, nameOf(connection), what, detail)) return
    if (what === 'flooding' && connection.inbound && !parts.isKnown(connection.publicKey))
      parts.inboundConnectionLimit.flooded(connection.remoteHost)
    for (const each of table.get(connection.id)?.connections ?? [connection]) {
      // Stops reading until the connection has ended.
      each.inboundLimits?.hold()
      connections.close(each, banReason(what, detail), true)
    }
  })
  host.addEventListener('connection:open', ({ detail }) => {
    connections.opened(detail)
    const connection = connections.connectionOf(detail)
    if (connection?.inboundLimits !== undefined)
      connection.inboundLimits.onExceeded = () =>
        events.misbehaved.emit(connection, 'flooding', 'more data than allowed')
  })
  host.addEventListener('connection:close', ({ detail }) => {
    connections.closed(detail)
    // The streams end after the connection, in no fixed order.
    setTimeout(() => reopenGossip(parts), 0)
  })
}
