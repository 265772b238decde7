import { toBareHex } from '../core/bytes/hex.ts'
import type { Address } from '../core/bytes/bytes.ts'
import { addressOfPublicKey } from '../core/crypto/crypto.ts'
import { startDevp2p } from './devp2p/startDevp2p.ts'
import { textOf } from './error.ts'
import type { ChainParameters, Network, NetworkHandlers, NetworkOptions, Peer } from './network.ts'
import { startNetwork } from './startNetwork.ts'
import { formatEnode, parseEnode } from './transport/enode.ts'

type Transport = 'libp2p' | 'devp2p'

export type BothOptions = NetworkOptions & {
  readonly chain: ChainParameters
  /** 0 takes a free port; nodes that run both are dialed at their port of devp2p and this one’s distance from the own. */
  readonly libp2pPort: number
}

/** The connections with one node; libp2p is preferred: its statuses contain more. */
type Connected = {
  libp2p: Peer | undefined
  devp2p: Peer | undefined
  /** The enode URL at which it is dialed over libp2p. */
  dialed: string | undefined
}

type State = {
  readonly options: BothOptions
  readonly peers: Map<string, Connected>
  networks: Readonly<Record<Transport, Network>> | undefined
}

const otherOf = (transport: Transport): Transport => (transport === 'libp2p' ? 'devp2p' : 'libp2p')

const preferred = ({ libp2p, devp2p }: Connected): Peer | undefined => libp2p ?? devp2p

/** The libp2p endpoint of a node of this software that is connected over devp2p. */
const libp2pEnodeOf = ({ options, networks }: State, { enode, status }: Peer): string | undefined => {
  if (networks === undefined || !status.client.startsWith('quorate/')) return undefined
  const { publicKey, host, port } = parseEnodeOrNone(enode) ?? {}
  if (publicKey === undefined || host === undefined || port === undefined) return undefined
  const distance = options.port === 0 || options.libp2pPort === 0 ? 1 : options.libp2pPort - options.port
  return formatEnode({ publicKey, host, port: port + distance })
}

/** The port of an enode is 0 if the node does not announce one. */
const parseEnodeOrNone = (enode: string) => (/:0(?:\?|$)/.test(enode) ? undefined : parseEnode(enode))

/** Dials a node of this software that is connected over devp2p alone. */
const dialOverLibp2p = (state: State, entry: Connected): void => {
  if (entry.devp2p === undefined || entry.libp2p !== undefined) return
  const enode = libp2pEnodeOf(state, entry.devp2p)
  if (enode === undefined) return
  entry.dialed = enode
  state.networks?.libp2p.addPeer(enode).catch((error: unknown) => {
    state.options.log.debug('Could not dial {enode} over libp2p: {reason}', { enode, reason: textOf(error) })
  })
}

/** Stops dialing it, and closes its connection if there is one. */
const removeOverLibp2p = (state: State, { dialed }: Connected): void => {
  if (dialed === undefined) return
  state.networks?.libp2p.removePeer(dialed).catch((error: unknown) => {
    state.options.log.debug('Could not stop dialing {dialed} over libp2p: {reason}', {
      dialed,
      reason: textOf(error),
    })
  })
}

const onPeer = (state: State, transport: Transport, peer: Peer): void => {
  const key = toBareHex(peer.address)
  const known = state.peers.get(key)
  const entry = known ?? { libp2p: undefined, devp2p: undefined, dialed: undefined }
  entry[transport] = peer
  state.peers.set(key, entry)
  const { handlers } = state.options
  if (known === undefined) handlers.onPeer(peer)
  else handlers.onStatus(preferred(entry) as Peer)
  dialOverLibp2p(state, entry)
}

const onPeerDisconnected = (state: State, transport: Transport, peer: Peer, reason: string): void => {
  const key = toBareHex(peer.address)
  const entry = state.peers.get(key)
  if (entry === undefined) return
  entry[transport] = undefined
  const rest = preferred(entry)
  if (rest !== undefined) return state.options.handlers.onStatus(rest)
  state.peers.delete(key)
  removeOverLibp2p(state, entry)
  state.options.handlers.onPeerDisconnected(peer, reason)
}

/** The status of a node counts from the preferred connection with it. */
const onStatus = (state: State, transport: Transport, peer: Peer): void => {
  const entry = state.peers.get(toBareHex(peer.address))
  if (entry === undefined) return
  entry[transport] = peer
  if (preferred(entry) === peer) state.options.handlers.onStatus(peer)
}

const handlersOf = (state: State, transport: Transport): NetworkHandlers => {
  const { handlers } = state.options
  return {
    ...handlers,
    onPeer: peer => onPeer(state, transport, peer),
    onPeerDisconnected: (peer, reason) => onPeerDisconnected(state, transport, peer, reason),
    onStatus: peer => onStatus(state, transport, peer),
    onTransactions: async (peer, transactions) => {
      // A node of the other transport may send them back: they are known by then, and not forwarded again.
      const isForwarded = await handlers.onTransactions(peer, transactions)
      if (isForwarded) state.networks?.[otherOf(transport)].announceTransactions(transactions)
      return isForwarded
    },
  }
}

const idOf = (address: Address): string => toBareHex(address)

const isOverLibp2p = ({ peers }: State, address: Address): boolean =>
  peers.get(idOf(address))?.libp2p !== undefined

/** The network that has the preferred connection with a node. */
const networkWith = (state: State, { libp2p, devp2p }: Readonly<Record<Transport, Network>>, peer: Peer) =>
  isOverLibp2p(state, peer.address) ? libp2p : devp2p

const createBothNetwork = (state: State, networks: Readonly<Record<Transport, Network>>): Network => {
  const { libp2p, devp2p } = networks
  return {
    enode: devp2p.enode,
    port: devp2p.port,
    peers: () => [...state.peers.values()].flatMap(entry => preferred(entry) ?? []),
    sendConsensus: (to, code, data) =>
      libp2p.sendConsensus(
        to.filter(address => isOverLibp2p(state, address)),
        code,
        data,
      ) +
      devp2p.sendConsensus(
        to.filter(address => !isOverLibp2p(state, address)),
        code,
        data,
      ),
    announceTransactions: transactions => {
      libp2p.announceTransactions(transactions)
      devp2p.announceTransactions(transactions)
    },
    announceBlock: (number, hash, block) => {
      libp2p.announceBlock(number, hash, block)
      devp2p.announceBlock(number, hash, block)
    },
    sendStatus: () => libp2p.sendStatus(),
    requestBlocks: (peer, from, count, signal) =>
      networkWith(state, networks, peer).requestBlocks(peer, from, count, signal),
    requestPoolHashes: (peer, signal) => networkWith(state, networks, peer).requestPoolHashes(peer, signal),
    requestPoolTransactions: (peer, hashes, signal) =>
      networkWith(state, networks, peer).requestPoolTransactions(peer, hashes, signal),
    reportMisbehaviour: (address, what, detail) => {
      const network = isOverLibp2p(state, address) ? libp2p : devp2p
      network.reportMisbehaviour(address, what, detail)
    },
    // An enode URL names the port of devp2p, over which nodes with libp2p are found.
    addPeer: enode => devp2p.addPeer(enode),
    removePeer: enode => {
      const entry = state.peers.get(idOf(addressOfPublicKey(parseEnode(enode).publicKey)))
      if (entry !== undefined) removeOverLibp2p(state, entry)
      return devp2p.removePeer(enode)
    },
    stop: async () => {
      await Promise.all([libp2p.stop(), devp2p.stop()])
    },
  }
}

/**
 * Connects over both transports at once, so that a network can move from one to the other node by node: consensus messages go
 * over the preferred connection with each validator, and transactions and blocks that arrive over one transport are forwarded
 * to the other.
 * @throws NetworkError when it cannot listen on one of the ports
 * @throws EnodeError when a bootnode or static node is not an enode URL
 */
export const startBoth = async (options: BothOptions): Promise<Network> => {
  const state: State = { options, peers: new Map(), networks: undefined }
  const libp2p = await startNetwork({
    ...options,
    port: options.libp2pPort,
    bootnodes: [],
    staticNodes: [],
    learnedNodes: [],
    handlers: handlersOf(state, 'libp2p'),
  })
  try {
    const devp2p = await startDevp2p({ ...options, handlers: handlersOf(state, 'devp2p') })
    state.networks = { libp2p, devp2p }
    for (const entry of state.peers.values()) dialOverLibp2p(state, entry)
    return createBothNetwork(state, state.networks)
  } catch (error) {
    await libp2p.stop()
    throw error
  }
}
