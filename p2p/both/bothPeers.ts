import { toBareHex } from '../../core/bytes/hex.ts'
import type { Devp2pNetwork } from '../devp2p/node/networkOf.ts'
import type { ChainParameters, Identity, NetworkHandlers, NetworkOptions, Peer, Scoring } from '../network.ts'
import type { Libp2pNetwork } from '../node/networkOf.ts'
import { type Enode, parseEnode } from '../transport/enode.ts'
import { idOf } from '../transport/identity.ts'

export type BothOptions = NetworkOptions & {
  readonly chain: ChainParameters
  /** 0 takes a free port; nodes that run both are dialed at their port of devp2p and this one’s distance from the own. */
  readonly libp2pPort: number
}

export type Networks = { readonly libp2p: Libp2pNetwork; readonly devp2p: Devp2pNetwork }

/** The connections with one node; libp2p is preferred: its statuses contain more. */
type Connected = {
  libp2p: Peer | undefined
  devp2p: Peer | undefined
}

export type BothState = {
  readonly options: BothOptions
  /** By id. */
  readonly peers: Map<string, Connected>
  /** Scores of the nodes over both transports, so that a banned node cannot continue over the other one. */
  readonly scoring: Scoring
  /** The ids of the static nodes. */
  readonly staticIds: Set<string>
  networks: Networks | undefined
}

const PORT_MAX = 65_535

const otherOf = (transport: keyof Networks): keyof Networks => (transport === 'libp2p' ? 'devp2p' : 'libp2p')

export const preferred = ({ libp2p, devp2p }: Connected): Peer | undefined => libp2p ?? devp2p

/** The port of libp2p minus that of devp2p. */
export const portDistance = ({ port, libp2pPort }: Pick<BothOptions, 'port' | 'libp2pPort'>): number =>
  port === 0 || libp2pPort === 0 ? 1 : libp2pPort - port

export const isOwnSoftware = ({ status }: Identity): boolean => status.client.startsWith('quorate/')

/** The libp2p endpoint of a node of this software that is connected over devp2p; undefined if its port is not known. */
const libp2pEnodeOf = ({ options }: BothState, peer: Peer): Enode | undefined => {
  const { enode } = peer
  if (!isOwnSoftware(peer) || /:0(?:\?|$)/.test(enode)) return undefined
  const { publicKey, host, port: devp2pPort } = parseEnode(enode)
  const port = devp2pPort + portDistance(options)
  return port < 1 || port > PORT_MAX ? undefined : { publicKey, host, port }
}

/** Dials a node of this software that is connected over devp2p alone. */
export const dialOverLibp2p = (state: BothState, { libp2p, devp2p }: Connected): void => {
  if (devp2p === undefined || libp2p !== undefined) return
  const enode = libp2pEnodeOf(state, devp2p)
  if (enode !== undefined) state.networks?.libp2p.dialAlso(enode, state.staticIds.has(idOf(devp2p.publicKey)))
}

const onPeer = (state: BothState, transport: keyof Networks, peer: Peer): void => {
  const key = toBareHex(peer.address)
  const known = state.peers.get(key)
  const entry = known ?? { libp2p: undefined, devp2p: undefined }
  entry[transport] = peer
  state.peers.set(key, entry)
  const { handlers } = state.options
  if (known === undefined) handlers.onPeer(peer)
  else handlers.onStatus(preferred(entry) as Peer)
  dialOverLibp2p(state, entry)
}

const onPeerDisconnected = (
  state: BothState,
  transport: keyof Networks,
  peer: Peer,
  reason: string,
): void => {
  const key = toBareHex(peer.address)
  const entry = state.peers.get(key)
  if (entry === undefined) return
  entry[transport] = undefined
  const rest = preferred(entry)
  if (rest !== undefined) return state.options.handlers.onStatus(rest)
  state.peers.delete(key)
  state.options.handlers.onPeerDisconnected(peer, reason)
}

/** The status of a node counts from the preferred connection with it. */
const onStatus = (state: BothState, transport: keyof Networks, peer: Peer): void => {
  const entry = state.peers.get(toBareHex(peer.address))
  if (entry === undefined) return
  entry[transport] = peer
  if (preferred(entry) === peer) state.options.handlers.onStatus(peer)
}

/** The handlers of one of the two networks, which bring together what both say of a node. */
export const handlersOf = (state: BothState, transport: keyof Networks): NetworkHandlers => {
  const { handlers } = state.options
  return {
    ...handlers,
    onPeer: peer => onPeer(state, transport, peer),
    onPeerDisconnected: (peer, reason) => onPeerDisconnected(state, transport, peer, reason),
    onStatus: peer => onStatus(state, transport, peer),
    onTransactions: async (peer, transactions) => {
      // A node of the other transport may send them back: they are known by then, and not forwarded again.
      const result = await handlers.onTransactions(peer, transactions)
      const held = result.held.flatMap(index => transactions[index] ?? [])
      if (held.length > 0) state.networks?.[otherOf(transport)].announceTransactions(held)
      return result
    },
    // The operator configured the endpoints of devp2p; those of libp2p are tried because a node may have them.
    onDialFailed: (enode, reason) => {
      if (transport === 'devp2p') handlers.onDialFailed?.(enode, reason)
    },
  }
}
