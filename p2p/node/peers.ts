import { DIALS_MAX, RESERVED_CONNECTIONS } from '../limits.ts'
import { compareBytes } from '../../core/bytes/bytes.ts'
import { setBounded } from '../../core/collections/boundedMap.ts'
import { ANOTHER_KEY, ENDED_HANDSHAKE, NetworkError } from '../error.ts'
import { gossipOptions } from '../gossip/gossip.ts'
import { createConnectionManager } from '../peers/connectionManager.ts'
import { createDialer } from '../peers/dialer.ts'
import { createGater } from '../peers/gater.ts'
import { enodesOf } from '../peers/peerExchange.ts'
import { newInstance } from '../peers/instance.ts'
import { createScoring } from '../peers/scoring.ts'
import type { Enode } from '../transport/enode.ts'
import { createHost, DIAL_TIMEOUT_MS, type Host } from '../transport/host.ts'
import { dialAddressOf, idOf } from '../transport/identity.ts'
import type { Base } from './base.ts'

/** Connection keys of validators that are remembered; more than a network has. */
const CLAIMS_MAX = 256

/** The other side may speak no libp2p; one that proves another identity than the URL names does. */
const dialError = (cause: unknown): unknown => {
  if (!(cause instanceof Error) || cause.name !== 'EncryptionFailedError') return cause
  if (cause.message.includes('does not match expected remote identity'))
    return new NetworkError('NOT_CONNECTED', ANOTHER_KEY, { cause })
  return /identity/i.test(cause.message)
    ? cause
    : new NetworkError('NOT_CONNECTED', ENDED_HANDSHAKE, { cause })
}

/** Creates the dialer, the connection manager and the scores of peers. */
export const createPeers = (base: Base) => {
  const { options, log, handlers, table, events, state } = base
  const { nowMs, pause, maxPeers, refuses } = options
  const isStatic = (id: string): boolean => dialer.isStatic(id)
  const scoring = options.scoring ?? createScoring({ nowMs, log, isStatic })
  const isBanned = (id: string): boolean => scoring.isBanned(id)
  const dialer = createDialer({
    dial: async enode => {
      try {
        await state.host?.dial(dialAddressOf(enode), { signal: AbortSignal.timeout(DIAL_TIMEOUT_MS) })
      } catch (cause) {
        throw dialError(cause)
      }
    },
    isConnected: id => table.get(id) !== undefined || connections.pending.has(id),
    isBanned,
    refuses,
    isValidator: base.isValidator,
    isLower: publicKey => compareBytes(publicKey, base.ownKey) < 0,
    bootnodesFirst: options.bootnodesFirst,
    freeSlots: () => maxPeers - table.size - connections.pending.size,
    dialsMax: DIALS_MAX,
    onFailed: (enode, reason) => handlers.onDialFailed?.(enode, reason),
    nowMs,
    log,
  })
  const learn = (enodes: readonly Enode[]): void => {
    if (!options.discovery) return
    for (const enode of enodes) if (!base.isOwn(enode)) dialer.add(enode, 'learned')
  }
  const connections = createConnectionManager({
    table,
    handlers,
    log,
    nowMs,
    pause,
    maxPeers,
    inboundPeersMax: options.inboundPeersMax,
    ownAddress: base.ownAddress,
    otherWithKey: options.otherWithKey ?? (() => undefined),
    onClaim: ({ id }, address) => {
      // Of validators alone: the others need no priority, and could crowd them out.
      if (handlers.roleOf(address) !== 'other') setBounded(base.claims, id, address, CLAIMS_MAX)
    },
    onKeyInUse: ({ id, address }, reason) => handlers.onKeyInUse?.(base.claims.get(id) ?? address, reason),
    isValidator: base.isValidator,
    knownHosts: base.knownHosts,
    refuses,
    isStatic,
    isBanned,
    instance: options.instance ?? newInstance(),
    listenEndpoint: () => ({ host: options.advertisedHost, port: state.port }),
    onEstablished: (connection, first) => events.established.emit(connection, first),
    onEnded: (connection, peer, reason) => {
      if (table.get(connection.id) === undefined) events.ended.emit(connection, peer, reason)
    },
    onEnodes: enodes => learn(enodesOf(enodes)),
    onMisbehaviour: (connection, what, detail) => events.misbehaved.emit(connection, what, detail),
  })
  const isKnown = (publicKey: Uint8Array): boolean => isStatic(idOf(publicKey)) || base.isValidator(publicKey)
  return { scoring, dialer, learn, connections, isKnown }
}

export type Peers = ReturnType<typeof createPeers>

/** The libp2p node, not started. */
export const openHost = (base: Base, peers: Peers): Promise<Host> => {
  const { options, protocols, state } = base
  const connectionsMax = options.maxPeers + base.staticNodes.length + RESERVED_CONNECTIONS
  return createHost({
    privateKey: options.privateKey,
    host: options.host,
    port: options.port,
    ipv6: options.ipv6,
    gater: createGater({
      ...base,
      ...peers,
      nowMs: options.nowMs,
      isStopped: () => state.isStopped,
      isFull: () => (state.host?.getConnections().length ?? 0) >= connectionsMax,
      evictOldestPending: () => peers.connections.evictOldestPending(),
    }),
    connectionsMax,
    gossip: gossipOptions(protocols.transactions),
  })
}
