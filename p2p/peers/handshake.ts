import type { Peer } from '../network.ts'
import { toHex } from '../../core/bytes/hex.ts'
import { CLOCK_STEP_MS, clockOffsetOf, recordTime } from './clockOffset.ts'
import { formatEnode, hostKind } from '../transport/enode.ts'
import { closeConnection, finishConnection, refuseConnection, refuseKeyInUse, sendStatus } from './closing.ts'
import { nameOf, type PeerConnection } from './connection.ts'
import type { ConnectionManagerOptions, Connections } from './connectionManager.ts'
import { chainDifference, differingEntries } from './differences.ts'
import type { PeerEntry } from './peerTable.ts'
import { GOODBYE_ENODES_MAX, type StatusMessage } from './statusMessage.ts'
import { checkClaim, claimedAddress } from './validatorClaim.ts'

/** A node in a container does not know an address at which others reach it: the address that it connects from is used. */
const reachableHost = (announced: string, remote: string): string => {
  const kind = hostKind(announced)
  if (kind === undefined || announced === '0.0.0.0' || announced === '::') return remote
  const isLocal = (host: string): boolean => host === 'localhost' || host === '::1' || host.startsWith('127.')
  return isLocal(announced) && !isLocal(remote) ? remote : announced
}

const enodeOf = ({ remote, remoteHost, remotePort, inbound, publicKey }: PeerConnection): string => {
  const host = remote === undefined ? remoteHost : reachableHost(remote.host, remoteHost)
  const port = remote === undefined || remote.port === 0 ? (inbound ? 0 : remotePort) : remote.port
  return formatEnode({ publicKey, host, port })
}

/** The reason to refuse a node; undefined if it may be connected. */
export const refusalOf = (
  { isBanned, refuses }: ConnectionManagerOptions,
  { id, inbound, remote, remoteHost, remotePort, publicKey }: PeerConnection,
): string | undefined => {
  if (isBanned(id)) return 'banned for its behaviour'
  return refuses(publicKey, remoteHost, inbound ? (remote?.port ?? 0) : remotePort)
}

const isFull = ({ isStatic, table, maxPeers }: ConnectionManagerOptions, { id }: PeerConnection): boolean =>
  !isStatic(id) && table.get(id) === undefined && table.size >= maxPeers

/** Bounds the peers that dialed this node, so that attackers cannot take all of its connections (an eclipse attack). */
const hasTooManyInbound = (
  { isStatic, isValidator, table, inboundPeersMax }: ConnectionManagerOptions,
  { id, inbound, publicKey }: PeerConnection,
): boolean => {
  if (inboundPeersMax === undefined || !inbound || table.get(id) !== undefined) return false
  if (isStatic(id) || isValidator(publicKey)) return false
  const others = [...table.all()].filter(
    ({ peer, connections: [first] }) =>
      peer.inbound && first !== undefined && !isStatic(first.id) && !isValidator(peer.publicKey),
  )
  return others.length >= inboundPeersMax
}

/** Enodes of connected nodes that a refused node can try instead. */
const alternativesTo = ({ table }: ConnectionManagerOptions, { id }: PeerConnection): readonly string[] =>
  [...table.all()]
    .filter(({ peer, connections: [first] }) => first?.id !== id && !peer.enode.endsWith(':0'))
    .slice(0, GOODBYE_ENODES_MAX)
    .map(({ peer }) => peer.enode)

/** Ends the older connections of a validator, and this one, which is dialed again once they have ended. */
const endReplaced = (
  options: ConnectionManagerOptions,
  connection: PeerConnection,
  { connections }: PeerEntry,
): void => {
  for (const older of connections.slice())
    refuseKeyInUse(options, older, 'the validator connects with a newer connection key')
  void closeConnection(options, connection, 'the validator is still connected with an older key')
}

const onStatus = (
  connections: Connections,
  connection: PeerConnection,
  message: StatusMessage & { readonly kind: 'status' },
): void => {
  const { options } = connections
  const { handlers, log } = options
  if (connection.stage !== 'handshake') throw new Error('a second handshake')
  connection.remote = message
  const own = handlers.status()
  const difference = chainDifference(own, message.status)
  if (difference !== undefined) {
    // The other side compares as well, so that both can name the entries that differ.
    if (connection.inbound) sendStatus(options, connection)
    refuseConnection(options, connection, `another chain: ${difference}`)
    handlers.onRefused(
      nameOf(connection),
      difference,
      differingEntries(own, message.status),
      toHex(claimedAddress(connection, message.status) ?? connection.address),
    )
    return
  }
  const claim = checkClaim(options, connection, message)
  if (claim.kind === 'replaces') return endReplaced(options, connection, claim.current)
  const refusal = claim.kind === 'accepted' ? refusalOf(options, connection) : claim.reason
  if (claim.kind !== 'accepted' || refusal !== undefined) {
    log.info('Refused {peer}: {reason}', { peer: nameOf(connection), reason: refusal })
    const refuse = claim.kind === 'key-in-use' ? refuseKeyInUse : refuseConnection
    refuse(options, connection, `refused: ${refusal}`)
    return
  }
  if (message.status.statement !== undefined) {
    connection.address = claim.address
    options.onClaim(connection, claim.address)
  }
  if (isFull(options, connection) || hasTooManyInbound(options, connection)) {
    refuseConnection(options, connection, 'too many peers', alternativesTo(options, connection))
    return
  }
  if (connection.inbound) sendStatus(options, connection)
  establish(connections, connection, message.status)
}

const establish = (
  { options, pending }: Connections,
  connection: PeerConnection,
  status: Peer['status'],
): void => {
  const { table, handlers, nowMs } = options
  connection.stage = 'established'
  connection.establishedAtMs = nowMs()
  connection.inboundLimits?.admit(connection.id, () => handlers.roleOf(connection.address) !== 'validator')
  if (handlers.roleOf(connection.address) === 'validator') options.knownHosts.add(connection.remoteHost)
  pending.delete(connection.id)
  const { address, publicKey, remoteHost, remotePort, inbound } = connection
  const host = remoteHost.includes(':') ? `[${remoteHost}]` : remoteHost
  const peer: Peer = {
    address,
    publicKey,
    enode: enodeOf(connection),
    remoteAddress: `${host}:${remotePort}`,
    inbound,
    status,
    connectedAtMs: nowMs(),
    instance: connection.remote?.instance,
  }
  const entry = table.add(connection, peer)
  const first = entry.connections.length === 1
  connection.settle(true)
  options.onEstablished(connection, first)
  if (!first) return handlers.onStatus(entry.peer)
  options.onEnodes([peer.enode])
  handlers.onPeer(entry.peer)
}

const onUpdate = (
  { options: { table, handlers } }: Connections,
  connection: PeerConnection,
  { headNumber, headHash, neighbours, historyStart }: StatusMessage & { readonly kind: 'update' },
): void => {
  const entry = table.get(connection.id)
  if (entry === undefined || connection.remote === undefined) throw new Error('an update before the status')
  entry.peer = {
    ...entry.peer,
    status: { ...entry.peer.status, headNumber, headHash, neighbours, historyStart },
    clockOffsetMs: clockOffsetOf(connection),
  }
  handlers.onStatus(entry.peer)
}

/** A keep-alive changes the status only if it shows that a clock was set. */
const onAlive = ({ options: { table, handlers } }: Connections, connection: PeerConnection): void => {
  const entry = table.get(connection.id)
  const clockOffsetMs = clockOffsetOf(connection)
  if (entry === undefined || clockOffsetMs === undefined || connection.stage !== 'established') return
  if (Math.abs(clockOffsetMs - (entry.peer.clockOffsetMs ?? Infinity)) < CLOCK_STEP_MS) return
  entry.peer = { ...entry.peer, clockOffsetMs }
  handlers.onStatus(entry.peer)
}

/** Handles a message of the status protocol. @throws Error when the message is not allowed at this stage */
export const onStatusMessage = (
  connections: Connections,
  connection: PeerConnection,
  message: StatusMessage,
): void => {
  const { options } = connections
  if (connection.stage === 'established') connection.confirmed = true
  if (message.kind === 'goodbye') {
    connection.stage = 'closing'
    connection.reason ??= `the peer closed it: ${message.reason}`
    connection.refused = message.refused
    connection.keyInUse = message.keyInUse === true
    if (connection.keyInUse) options.onKeyInUse(connection, message.reason)
    options.onEnodes(message.enodes)
    void finishConnection(options, connection)
    return
  }
  if (message.kind !== 'status') recordTime(connection, message.timeMs, options.nowMs())
  if (message.kind === 'alive') return onAlive(connections, connection)
  if (connection.stage === 'closing') return
  if (message.kind === 'status') return onStatus(connections, connection, message)
  onUpdate(connections, connection, message)
}
