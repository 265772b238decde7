import { errorText } from '../../../core/text/errorText.ts'
import type { Socket } from 'node:dgram'
import { concatBytes, equalBytes } from '../../../core/bytes/bytes.ts'
import { joinRlpList } from '../../../core/rlp/list.ts'
import { encodeRlp } from '../../../core/rlp/rlp.ts'
import type { Log } from '../../log.ts'
import { type Enode, hostKind, unmappedAddress } from '../../transport/enode.ts'
import { createBoundedCache } from '../../../core/collections/boundedMap.ts'
import { ownedNetwork, siteNetwork } from '../../transport/addressNetwork.ts'
import { admit, createTokenBucket, type TokenBucket } from '../../transport/tokenBucket.ts'
import { type Bond, type Bonds, createBonds } from './bonds.ts'
import { type Endpoint, isUnspecified } from './endpoint.ts'
import { decodeMessage, encodeMessage, type Message, NEIGHBORS_MAX, PACKET_TYPES } from './messages.ts'
import { decodePacket, encodePacket, type Packet } from './packet.ts'

/** Packets expire after this: the clocks of nodes have to agree that far. */
const EXPIRY_SECONDS = 60
/** Interval between refreshes while there is room for peers, and otherwise. */
const REFRESH_MS = 30_000
const REFRESH_SLOW_MS = 30 * 60_000
/** First refreshes after a start, when bootnodes may be starting, too. */
const FIRST_REFRESHES_MS = [0, 1_000, 3_000, 8_000]
/** Nodes that are asked for their neighbors in one refresh. */
const ASKED_AT_ONCE = 3
/**
 * A node that has just proved its endpoint is asked for its neighbors after this: other clients wait for the answer to their
 * own request first, and take no other packet for it.
 */
const NEW_NODE_DELAY_MS = 1_000
const NEW_NODES_INTERVAL_MS = 500
/** New nodes that wait to be asked: a bound on the requests that others can cause. */
const NEW_NODES_MAX = 16
/** An answer that takes longer is ignored. */
const ANSWER_MS = 5_000
/** The same node is not pinged again within this. */
const PING_INTERVAL_MS = 5_000
/**
 * Packets of one address, of one network of 256 of them, and of all: each costs the recovery of its key, and most the signature of an
 * answer, together most of a millisecond.
 */
const PER_ADDRESS = { perSecond: 20, burst: 100 }
const PER_SITE = { perSecond: 50, burst: 200 }
const OF_ALL = { perSecond: 100, burst: 400 }
const NETWORKS_MAX = 1024

export type DiscoveryOptions = {
  readonly socket: Socket
  readonly privateKey: Uint8Array
  readonly ownKey: Uint8Array
  /** The endpoint that this node announces. */
  readonly endpoint: Endpoint
  readonly bootnodes: readonly Enode[]
  /** The own record: it changes with the forks that the chain passes. */
  readonly record: () => { readonly sequence: bigint; readonly bytes: Uint8Array }
  /** Whether there is room for further peers. */
  readonly wantsPeers: () => boolean
  /** A node proved its endpoint. */
  readonly onNode: (enode: Enode) => void
  readonly random: (bytes: number) => Uint8Array
  readonly nowMs: () => number
  readonly log: Log
}

/** Discovery v4 beside the connections. */
export type Discovery = { stop(): void }

type State = {
  readonly options: DiscoveryOptions
  readonly bonds: Bonds
  readonly ofNetwork: (network: string) => TokenBucket
  readonly ofSite: (site: string) => TokenBucket
  readonly ofAll: TokenBucket
  refreshedAtMs: number
  /** Nodes that proved their endpoints lately, to be asked for their neighbors. */
  newNodes: readonly Bond[]
}

const send = ({ options }: State, { host, udp }: Endpoint, type: number, content: Uint8Array): Uint8Array => {
  const { bytes, hash } = encodePacket(options.privateKey, type, content)
  options.socket.send(bytes, udp, host, error => {
    if (error !== null && error !== undefined)
      options.log.debug('A discovery packet to {host} was not sent: {reason}', {
        host,
        reason: errorText(error),
      })
  })
  return hash
}

const sendMessage = (
  state: State,
  to: Endpoint,
  message: Exclude<Message, { kind: 'enrResponse' }>,
): Uint8Array => {
  const { type, content } = encodeMessage(message)
  return send(state, to, type, content)
}

const expiryOf = ({ options }: State): number => Math.floor(options.nowMs() / 1000) + EXPIRY_SECONDS

const ping = (state: State, bond: Bond, to = bond.endpoint): void => {
  const { options } = state
  if (options.nowMs() - bond.pingedAtMs < PING_INTERVAL_MS || to.udp === 0) return
  bond.pingedAtMs = options.nowMs()
  bond.pinged = to
  bond.pingHash = sendMessage(state, to, {
    kind: 'ping',
    from: options.endpoint,
    to: { ...to, tcp: 0 },
    expiry: expiryOf(state),
    recordSequence: options.record().sequence,
  })
}

const askForNeighbors = (state: State, bond: Bond, target: Uint8Array): void => {
  bond.askedAtMs = state.options.nowMs()
  sendMessage(state, bond.endpoint, { kind: 'findNode', target, expiry: expiryOf(state) })
}

const onPing = (
  state: State,
  packet: Packet,
  message: Message & { kind: 'ping' },
  source: Endpoint,
): void => {
  const { options, bonds } = state
  sendMessage(state, source, {
    kind: 'pong',
    to: { ...source, tcp: message.from.tcp },
    pingHash: packet.hash,
    expiry: expiryOf(state),
    recordSequence: options.record().sequence,
  })
  const endpoint = { ...source, tcp: message.from.tcp }
  const bond = bonds.of(packet.publicKey, endpoint)
  if (bond === undefined) return
  if (!bonds.mayMove(bond, endpoint)) return
  // The source address of the packet counts: the address inside it is not proven. That of a ping may be forged, too, or the
  // ping a copy of another's: a proven address is replaced once the new one has answered.
  const isProven = bonds.isBonded(bond)
  if (!isProven || bond.endpoint.host === source.host) bond.endpoint = endpoint
  if (!isProven || bond.endpoint.host !== source.host) ping(state, bond, endpoint)
}

const onPong = (
  state: State,
  packet: Packet,
  message: Message & { kind: 'pong' },
  source: Endpoint,
): void => {
  const { options, bonds } = state
  const bond = bonds.get(packet.publicKey)
  if (bond?.pingHash === undefined || !bonds.awaitsPong(bond)) return
  if (!equalBytes(bond.pingHash, message.pingHash)) return
  // A bootnode may have been pinged by its name. Otherwise the answer proves no other address than the one that was pinged.
  if (bond.pinged.host !== source.host && hostKind(bond.pinged.host) !== 'name') return
  const endpoint = { ...bond.pinged, host: source.host, udp: source.udp }
  // Others may have come there since the ping.
  if (!bonds.mayMove(bond, endpoint)) return
  const isNew = !bonds.isBonded(bond)
  bond.pingHash = undefined
  bond.pongAtMs = options.nowMs()
  bond.endpoint = endpoint
  const { host, tcp, udp } = bond.endpoint
  if (tcp > 0)
    options.onNode({
      publicKey: bond.publicKey,
      host,
      port: tcp,
      ...(tcp === udp ? {} : { discoveryPort: udp }),
    })
  if (isNew && options.wantsPeers() && state.newNodes.length < NEW_NODES_MAX)
    state.newNodes = [...state.newNodes, bond]
}

const onFindNode = (state: State, bond: Bond, target: Uint8Array): void => {
  const nodes = state.bonds
    .closest(target, NEIGHBORS_MAX + 1)
    .filter(({ id }) => id !== bond.id)
    .slice(0, NEIGHBORS_MAX)
    .map(({ endpoint, publicKey }) => ({ endpoint, publicKey }))
  sendMessage(state, bond.endpoint, { kind: 'neighbors', nodes, expiry: expiryOf(state) })
}

const onNeighbors = (state: State, bond: Bond, message: Message & { kind: 'neighbors' }): void => {
  const { options, bonds } = state
  if (options.nowMs() - bond.askedAtMs > ANSWER_MS) return
  for (const { endpoint, publicKey } of message.nodes) {
    if (equalBytes(publicKey, options.ownKey) || isUnspecified(endpoint.host)) continue
    const known = bonds.of(publicKey, endpoint)
    if (known !== undefined && !bonds.isBonded(known)) ping(state, known)
  }
}

const onMessage = (state: State, packet: Packet, message: Message, source: Endpoint): void => {
  const { options, bonds } = state
  if ('expiry' in message && message.expiry * 1000 < options.nowMs()) return
  if (message.kind === 'ping') return onPing(state, packet, message, source)
  if (message.kind === 'pong') return onPong(state, packet, message, source)
  const bond = bonds.get(packet.publicKey)
  // A node whose address is not proven could direct this node's answers to another address.
  if (bond === undefined || !bonds.isBonded(bond) || bond.endpoint.host !== source.host) return
  if (message.kind === 'findNode') onFindNode(state, bond, message.target)
  else if (message.kind === 'neighbors') onNeighbors(state, bond, message)
  else if (message.kind === 'enrRequest') {
    const record = joinRlpList([encodeRlp(packet.hash), options.record().bytes])
    send(state, bond.endpoint, PACKET_TYPES.enrResponse, record)
  }
}

/** A packet that the limit of its own network refuses takes nothing from others. */
const isAdmitted = (state: State, host: string): boolean => {
  const site = siteNetwork(host)
  return (
    admit(state.ofNetwork(ownedNetwork(host))) &&
    (site === undefined || admit(state.ofSite(site))) &&
    admit(state.ofAll)
  )
}

const onPacket = (state: State, bytes: Uint8Array, source: Endpoint): void => {
  if (!isAdmitted(state, source.host)) return
  try {
    const packet = decodePacket(bytes)
    if (equalBytes(packet.publicKey, state.options.ownKey)) return
    const message = decodeMessage(packet.type, packet.content)
    if (message !== undefined) onMessage(state, packet, message, source)
  } catch (error) {
    state.options.log.debug('Ignored a discovery packet of {host}: {reason}', {
      host: source.host,
      reason: errorText(error),
    })
  }
}

/** Pings bootnodes that have not answered, and asks some nodes for others. */
const refresh = (state: State): void => {
  const { options, bonds } = state
  const { bootnodes, random, ownKey } = options
  state.refreshedAtMs = options.nowMs()
  for (const { publicKey, host, port, discoveryPort } of bootnodes) {
    const bond = bonds.of(publicKey, { host, tcp: port, udp: discoveryPort ?? port })
    if (bond !== undefined && !bonds.isBonded(bond)) ping(state, bond)
  }
  const target = random(64)
  for (const bond of bonds.closest(ownKey, 1)) askForNeighbors(state, bond, ownKey)
  for (const bond of bonds.closest(target, ASKED_AT_ONCE)) askForNeighbors(state, bond, target)
}

/** Asks the nodes that proved their endpoints a while ago. */
const askNewNodes = (state: State): void => {
  const { nowMs, ownKey } = state.options
  const due = state.newNodes.filter(({ pongAtMs }) => nowMs() - pongAtMs >= NEW_NODE_DELAY_MS)
  state.newNodes = state.newNodes.filter(bond => !due.includes(bond))
  for (const bond of due) askForNeighbors(state, bond, ownKey)
}

/** Answers other nodes and finds new ones, over a bound socket. */
export const startDiscovery = (options: DiscoveryOptions): Discovery => {
  const { nowMs, socket } = options
  const state: State = {
    options,
    bonds: createBonds(nowMs),
    ofNetwork: createBoundedCache(NETWORKS_MAX, () =>
      createTokenBucket(PER_ADDRESS.perSecond, PER_ADDRESS.burst, nowMs),
    ),
    ofSite: createBoundedCache(NETWORKS_MAX, () =>
      createTokenBucket(PER_SITE.perSecond, PER_SITE.burst, nowMs),
    ),
    ofAll: createTokenBucket(OF_ALL.perSecond, OF_ALL.burst, nowMs),
    refreshedAtMs: nowMs(),
    newNodes: [],
  }
  socket.on('message', (bytes, { address, port }) =>
    onPacket(state, concatBytes(bytes), {
      host: unmappedAddress(address),
      udp: port,
      tcp: 0,
    }),
  )
  // An ICMP error from an unreachable node.
  socket.on('error', error => options.log.debug('Discovery: {reason}', { reason: errorText(error) }))
  const firsts = FIRST_REFRESHES_MS.map(delayMs => setTimeout(() => refresh(state), delayMs))
  const timer = setInterval(() => {
    const interval = options.wantsPeers() ? REFRESH_MS : REFRESH_SLOW_MS
    if (nowMs() - state.refreshedAtMs >= interval) refresh(state)
  }, REFRESH_MS)
  const newNodes = setInterval(() => askNewNodes(state), NEW_NODES_INTERVAL_MS)
  return {
    stop: () => {
      clearInterval(newNodes)
      for (const first of firsts) clearTimeout(first)
      clearInterval(timer)
      socket.close()
    },
  }
}
