import { errorText } from '../../core/text/errorText.ts'
import type { Connection, Stream } from '@libp2p/interface'
import type { Address } from '../../core/bytes/bytes.ts'
import type { YieldTurn } from '../../core/scheduler.ts'
import type { NetworkHandlers, NetworkOptions, Peer } from '../network.ts'
import type { Log } from '../log.ts'
import { receiveFrames } from '../transport/receive.ts'
import type { KnownHosts } from '../pendingHandshakes.ts'
import { createTokenBucket } from '../transport/tokenBucket.ts'
import { abortConnection, closeConnection, sendStatus, sendStatusMessage } from './closing.ts'
import { createPeerConnection, type PeerConnection } from './connection.ts'
import { onStatusMessage } from './handshake.ts'
import { superviseConnections } from './keepAlive.ts'
import type { PeerTable } from './peerTable.ts'
import { decodeStatusMessage, STATUS_BYTES_MAX } from './statusMessage.ts'

/** After this, an unfinished handshake may be evicted to make room. */
const HANDSHAKE_GRACE_MS = 1000
/** A node sends at most five status updates a second, and keep-alive messages. */
const STATUSES_PER_SECOND = 20

export type ConnectionManagerOptions = {
  readonly table: PeerTable
  readonly handlers: NetworkHandlers
  readonly log: Log
  readonly nowMs: () => number
  readonly pause: YieldTurn
  readonly maxPeers: number
  readonly inboundPeersMax: number | undefined
  readonly isValidator: (publicKey: Uint8Array) => boolean
  /** Hosts from which validators connect. */
  readonly knownHosts: Pick<KnownHosts, 'add'>
  /** The address of this node's validator. */
  readonly ownAddress: Address
  readonly otherWithKey: NonNullable<NetworkOptions['otherWithKey']>
  /** A node proved with a statement that it is this validator. */
  readonly onClaim: (connection: PeerConnection, address: Address) => void
  /** A peer refuses this node, because another node with the same key is connected with it. */
  readonly onKeyInUse: (connection: PeerConnection, reason: string) => void
  readonly refuses: (publicKey: Uint8Array, host: string, port: number) => string | undefined
  readonly isStatic: (id: string) => boolean
  readonly isBanned: (id: string) => boolean
  /** Random for each start of this node. */
  readonly instance: string
  /** The endpoint of this node as its status names it. */
  readonly listenEndpoint: () => { readonly host: string; readonly port: number }
  /** The statuses were exchanged; `first` if the node had no other connection. */
  readonly onEstablished: (connection: PeerConnection, first: boolean) => void
  /** A connection ended; `peer` if it was the last one of that node. */
  readonly onEnded: (connection: PeerConnection, peer: Peer | undefined, reason: string) => void
  /**
   * Enodes that a full node named, and that of each node that connected: a node that dialed this one may not
   * know any other after a restart, so this node dials it after a loss.
   */
  readonly onEnodes: (enodes: readonly string[]) => void
  readonly onMisbehaviour: (
    connection: PeerConnection,
    what: 'invalid-message' | 'oversized-message',
    detail: string,
  ) => void
}

export type ConnectionManager = {
  opened(connection: Connection): void
  closed(connection: Connection): void
  onStatusStream(stream: Stream, connection: Connection): void
  connectionOf(connection: Connection): PeerConnection | undefined
  /** Ids of nodes whose only connection is still in its handshake. */
  readonly pending: ReadonlySet<string>
  broadcastStatusUpdate(): void
  /** Sends the reason and closes; `refused` when the other side should not dial again soon. */
  close(connection: PeerConnection, reason: string, refused: boolean): void
  /** Aborts the oldest unfinished handshake; false when none is older than HANDSHAKE_GRACE_MS. */
  evictOldestPending(): boolean
  /** To be called once a second: keep-alive messages, time limits, permissions. */
  tick(): void
  /** Sends a goodbye to all peers and closes. */
  stop(reason: string): Promise<void>
}

/** Connections of one node. Functions of this folder that take a `Connections` change them. */
export type Connections = {
  readonly options: ConnectionManagerOptions
  /** By the id that libp2p gives a connection, in the order in which they were opened. */
  readonly byId: Map<string, PeerConnection>
  readonly pending: Set<string>
  tickedAtMs: number
}

const opened = (connections: Connections, libp2p: Connection): void => {
  const { options, byId, pending } = connections
  const connection = createPeerConnection(libp2p, options.nowMs)
  if (connection === undefined) {
    libp2p.abort(new Error('no secp256k1 key'))
    return
  }
  byId.set(libp2p.id, connection)
  if (options.table.get(connection.id) === undefined) pending.add(connection.id)
  // The dialer sends its status first, so that an unknown node learns nothing before it has sent its own.
  if (!connection.inbound) sendStatus(options, connection)
}

const closed = ({ options, byId, pending }: Connections, libp2p: Connection): void => {
  const connection = byId.get(libp2p.id)
  if (connection === undefined) return
  byId.delete(libp2p.id)
  pending.delete(connection.id)
  connection.stage = 'closing'
  connection.settle(false)
  connection.end()
  const reason = connection.reason ?? 'the connection was closed'
  options.onEnded(connection, options.table.remove(connection), reason)
}

const onStatusStream = (connections: Connections, stream: Stream, libp2p: Connection): void => {
  const { options, byId } = connections
  const { nowMs } = options
  const connection = byId.get(libp2p.id)
  if (connection === undefined) return stream.abort(new Error('unknown connection'))
  const rate = {
    messages: createTokenBucket(STATUSES_PER_SECOND, 2 * STATUSES_PER_SECOND, nowMs),
    bytes: createTokenBucket(STATUS_BYTES_MAX, 2 * STATUS_BYTES_MAX, nowMs),
  }
  receiveFrames(stream, connection, {
    bytesMax: STATUS_BYTES_MAX,
    rate: { now: () => rate, onExceeded: () => undefined },
    onReceived: () => {
      connection.receivedAtMs = nowMs()
    },
    onFrame: frame => onStatusMessage(connections, connection, decodeStatusMessage(frame)),
    onFailure: cause => {
      const oversized = (cause as { code?: unknown }).code === 'OVERSIZED'
      options.onMisbehaviour(
        connection,
        oversized ? 'oversized-message' : 'invalid-message',
        errorText(cause),
      )
      void closeConnection(options, connection, `a wrong status message: ${errorText(cause)}`)
    },
  })
}

const broadcastStatusUpdate = ({ options }: Connections): void => {
  const { headNumber, headHash, neighbours, historyStart } = options.handlers.status()
  const update = { headNumber, headHash, neighbours, historyStart, timeMs: options.nowMs() }
  for (const entry of options.table.all())
    for (const connection of entry.connections)
      if (connection.stage === 'established')
        sendStatusMessage(options, connection, { kind: 'update', ...update })
}

const evictOldestPending = ({ options, byId }: Connections): boolean => {
  const now = options.nowMs()
  for (const connection of byId.values()) {
    const { stage, inbound, openedAtMs } = connection
    if (stage === 'handshake' && inbound && now - openedAtMs > HANDSHAKE_GRACE_MS) {
      abortConnection(connection, 'evicted to make room')
      return true
    }
  }
  return false
}

/** Manages connections from their first byte to their end: handshake, keep-alive, refusals, goodbyes. */
export const createConnectionManager = (options: ConnectionManagerOptions): ConnectionManager => {
  const connections: Connections = {
    options,
    byId: new Map(),
    pending: new Set(),
    tickedAtMs: options.nowMs(),
  }
  return {
    pending: connections.pending,
    connectionOf: ({ id }) => connections.byId.get(id),
    opened: libp2p => opened(connections, libp2p),
    closed: libp2p => closed(connections, libp2p),
    onStatusStream: (stream, libp2p) => onStatusStream(connections, stream, libp2p),
    broadcastStatusUpdate: () => broadcastStatusUpdate(connections),
    close: (connection, reason, refused) => {
      connection.refused = refused
      void closeConnection(options, connection, reason)
    },
    evictOldestPending: () => evictOldestPending(connections),
    tick: () => superviseConnections(connections),
    stop: async reason => {
      const all = [...connections.byId.values()]
      await Promise.all(all.map(connection => closeConnection(options, connection, reason)))
    },
  }
}
