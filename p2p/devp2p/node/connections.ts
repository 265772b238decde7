import { errorText } from '../../../core/text/errorText.ts'
import { RESERVED_CONNECTIONS } from '../../limits.ts'
import { connect, type Socket } from 'node:net'
import { NetworkError } from '../../error.ts'
import { type Enode, unmappedAddress } from '../../transport/enode.ts'
import type { DisconnectReason } from '../base/disconnect.ts'
import { BASE_VERSION, encodeHello } from '../base/hello.ts'
import { OFFERED_CAPABILITIES } from '../base/capabilities.ts'
import { HELLO } from '../base/messages.ts'
import { acceptHandshake, dialHandshake, type Handshaken } from '../rlpx/handshake.ts'
import { abortSession, disconnectSession } from '../session/ending.ts'
import { startReading } from '../session/receiving.ts'
import { createSession, type Session, type SessionEvents } from '../session/session.ts'
import type { Devp2pNode } from './devp2pNode.ts'

/** Time limit for a dial to be answered. */
const CONNECT_MS = 10_000
/** Time limit for an RLPx handshake. */
const HANDSHAKE_MS = 5_000
/** A connection that is no peer, and no validator's, for this long may be ended to make room. */
const UNFINISHED_MS = 500

const hostOf = (socket: Socket): string => unmappedAddress(socket.remoteAddress ?? '')

/** Destroys the socket unless the work ends in time. */
const within = async <T>(socket: Socket, timeoutMs: number, work: () => Promise<T>): Promise<T> => {
  const timer = setTimeout(
    () => socket.destroy(new NetworkError('TIMEOUT', 'the handshake timed out')),
    timeoutMs,
  )
  try {
    return await work()
  } finally {
    clearTimeout(timer)
  }
}

const sendHello = (node: Devp2pNode, { outbox }: Session): void => {
  const { client } = node.handlers.status()
  outbox.send('base', {
    id: HELLO,
    payload: encodeHello({
      version: BASE_VERSION,
      client,
      capabilities: OFFERED_CAPABILITIES,
      port: node.port,
      publicKey: node.ownKey,
      instance: node.instance,
    }),
  })
}

/** The reason to refuse a node before anything is read from it: the disconnect code, and a text for the log. */
export const refusalOf = (
  node: Devp2pNode,
  { id, publicKey, remoteHost, remotePort, inbound, hello }: Session,
): { readonly reason: DisconnectReason; readonly text: string } | undefined => {
  if (id === node.ownId) return { reason: 'self', text: 'connected to itself' }
  if (node.scoring.isBanned(id)) return { reason: 'requested', text: 'refused: banned for its behaviour' }
  const text = node.options.refuses(publicKey, remoteHost, inbound ? (hello?.port ?? 0) : remotePort)
  return text === undefined ? undefined : { reason: 'requested', text: `refused: ${text}` }
}

const isKnown = (node: Devp2pNode, { id, address }: Session): boolean =>
  node.parts.dialer.isStatic(id) || node.handlers.roleOf(address) === 'validator'

/** Both sides say hello at once: Besu as a listener waits for that of the dialer. */
const open = (
  node: Devp2pNode,
  socket: Socket,
  place: { readonly inbound: boolean; readonly remoteHost: string; readonly remotePort: number },
  handshaken: Handshaken,
  events: SessionEvents,
): Session => {
  const session = createSession(
    {
      socket,
      events,
      nowMs: node.options.nowMs,
      strangers: node.strangers,
      isStranger: address => node.handlers.roleOf(address) !== 'validator',
      ...place,
    },
    handshaken,
  )
  node.sessions.add(session)
  socket.on('error', error => {
    session.reason ??= errorText(error)
  })
  sendHello(node, session)
  startReading(session, handshaken.rest)
  return session
}

/** Sends a disconnect in place of the hello. */
const refuse = (session: Session, reason: DisconnectReason, text: string): void =>
  void disconnectSession(session, reason, text, true)

/** True if there is room for a connection, or the oldest one that is not established was ended to make room. */
const hasRoom = (node: Devp2pNode): boolean => {
  const { maxPeers, nowMs } = node.options
  if (node.sessions.size < maxPeers + node.staticNodes.length + RESERVED_CONNECTIONS) return true
  const oldest = [...node.sessions].find(
    session =>
      session.stage !== 'established' &&
      session.stage !== 'closing' &&
      nowMs() - session.openedAtMs >= UNFINISHED_MS &&
      !isKnown(node, session),
  )
  if (oldest === undefined) return false
  abortSession(oldest, 'it made room for another connection')
  return true
}

/** Handles an accepted socket. */
export const acceptSocket = async (
  node: Devp2pNode,
  socket: Socket,
  events: SessionEvents,
): Promise<void> => {
  const remoteHost = hostOf(socket)
  if (node.isStopped || !hasRoom(node)) return void socket.destroy()
  const pending = {
    host: remoteHost,
    openedAtMs: node.options.nowMs(),
    hasSent: false,
    evict: () => void socket.destroy(new NetworkError('TIMEOUT', 'it made room for another connection')),
  }
  const release = node.pending.add(pending)
  if (release === undefined) return void socket.destroy()
  const { privateKey } = node.options
  socket.setNoDelay(true)
  // An error destroys the socket, which rejects the handshake.
  socket.on('error', () => undefined)
  let isComplete = false
  const admits = (): boolean => {
    isComplete = true
    release()
    return (
      node.inboundLimit.admitsHandshake(remoteHost) &&
      (node.knownHosts.has(remoteHost) || node.inboundLimit.admitsOneOfAll())
    )
  }
  const onFirst = (): void => {
    pending.hasSent = true
  }
  let handshaken: Handshaken
  try {
    handshaken = await within(socket, HANDSHAKE_MS, () =>
      acceptHandshake(socket, { privateKey, random: node.random }, { onFirst, admits }),
    )
  } catch (error) {
    if (isComplete) node.inboundLimit.failed(remoteHost)
    else node.inboundLimit.silent(remoteHost)
    node.log.debug('A connection from {host} was not accepted: {reason}', {
      host: remoteHost,
      reason: errorText(error),
    })
    socket.destroy()
    return
  } finally {
    release()
  }
  const place = { inbound: true, remoteHost, remotePort: socket.remotePort ?? 0 }
  const session = open(node, socket, place, handshaken, events)
  if (node.scoring.isBanned(session.id)) {
    node.inboundLimit.refusedBanned(remoteHost)
    return refuse(session, 'requested', 'refused: banned for its behaviour')
  }
  if (!node.inboundLimit.admits(remoteHost, session.id, isKnown(node, session)))
    refuse(session, 'tooManyPeers', 'it connects too often')
}

const connected = (socket: Socket): Promise<void> =>
  new Promise((resolve, reject) => {
    socket.once('connect', () => resolve())
    socket.once('error', reject)
    socket.once('close', () => reject(new NetworkError('NOT_CONNECTED', 'the connection was closed')))
  })

/** Dials a node; host names are resolved at each dial. @throws RlpxError, NetworkError and errors of the socket */
export const dial = async (node: Devp2pNode, enode: Enode, events: SessionEvents): Promise<void> => {
  const { host, port, publicKey } = enode
  const socket = connect({ host, port })
  socket.on('error', () => undefined)
  try {
    await within(socket, CONNECT_MS, () => connected(socket))
    socket.setNoDelay(true)
    const { privateKey } = node.options
    const handshaken = await within(socket, HANDSHAKE_MS, () =>
      dialHandshake(socket, publicKey, { privateKey, random: node.random }),
    )
    if (node.isStopped) throw new NetworkError('NOT_CONNECTED', 'the node stops')
    open(node, socket, { inbound: false, remoteHost: hostOf(socket), remotePort: port }, handshaken, events)
  } catch (error) {
    socket.destroy()
    throw error
  }
}

/** Connected or connecting. */
export const isConnected = (node: Devp2pNode, id: string): boolean => {
  if (node.table.get(id) !== undefined) return true
  for (const session of node.sessions) if (session.id === id && session.stage !== 'closing') return true
  return false
}

/** Connected and connecting nodes, without static nodes and validators. */
export const isFull = (node: Devp2pNode, session: Session): boolean => {
  if (isKnown(node, session) || node.table.get(session.id) !== undefined) return false
  return node.table.size >= node.options.maxPeers
}

/** Bounds the inbound peers, so that attackers cannot take all connections of this node (an eclipse attack). */
export const hasTooManyInbound = (node: Devp2pNode, session: Session): boolean => {
  if (!session.inbound || isKnown(node, session)) return false
  const inbound = [...node.table.all()].filter(({ session }) => session.inbound && !isKnown(node, session))
  return inbound.length >= (node.options.inboundPeersMax ?? node.options.maxPeers)
}
