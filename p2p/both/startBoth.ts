import { toBareHex } from '../../core/bytes/hex.ts'
import type { Address } from '../../core/bytes/bytes.ts'
import { startDevp2p } from '../devp2p/startDevp2p.ts'
import type { Network, NetworkOptions, Peer } from '../network.ts'
import { newInstance } from '../peers/instance.ts'
import { createScoring } from '../peers/scoring.ts'
import { startNetwork } from '../startNetwork.ts'
import { parseEnode } from '../transport/enode.ts'
import { idOf } from '../transport/identity.ts'
import {
  type BothOptions,
  type BothState,
  dialOverLibp2p,
  handlersOf,
  type Networks,
  portDistance,
  preferred,
} from './bothPeers.ts'
import { otherWithKey } from './otherWithKey.ts'

const idOfEnode = (enode: string): string => idOf(parseEnode(enode).publicKey)

const isOverLibp2p = ({ peers }: BothState, address: Address): boolean =>
  peers.get(toBareHex(address))?.libp2p !== undefined

/** The network that has the preferred connection with a node. */
const networkWith = (state: BothState, { libp2p, devp2p }: Networks, peer: Peer): Network =>
  isOverLibp2p(state, peer.address) ? libp2p : devp2p

const createBothNetwork = (state: BothState, networks: Networks): Network => {
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
    requestRecords: (peer, from, count, signal) =>
      networkWith(state, networks, peer).requestRecords(peer, from, count, signal),
    requestPoolHashes: (peer, signal) => networkWith(state, networks, peer).requestPoolHashes(peer, signal),
    requestPoolTransactions: (peer, hashes, signal) =>
      networkWith(state, networks, peer).requestPoolTransactions(peer, hashes, signal),
    reportMisbehaviour: (address, what, detail) => {
      const network = isOverLibp2p(state, address) ? libp2p : devp2p
      network.reportMisbehaviour(address, what, detail)
    },
    // An enode URL names the port of devp2p, over which nodes with libp2p are found.
    addPeer: async enode => {
      const added = await devp2p.addPeer(enode)
      state.staticIds.add(idOfEnode(enode))
      return added
    },
    removePeer: async enode => {
      const removed = await devp2p.removePeer(enode)
      state.staticIds.delete(idOfEnode(enode))
      if (removed) libp2p.forget(idOfEnode(enode))
      return removed
    },
    stop: async () => {
      await Promise.all([libp2p.stop(), devp2p.stop()])
    },
  }
}

const createState = (options: BothOptions): BothState => {
  const staticIds = new Set(options.staticNodes.map(idOfEnode))
  const { nowMs, log } = options
  return {
    options,
    peers: new Map(),
    scoring: createScoring({ nowMs, log, isStatic: id => staticIds.has(id) }),
    staticIds,
    networks: undefined,
  }
}

/** Sums what both networks count. */
const summing = (onSum: ((count: number) => void) | undefined) => {
  const counts = { libp2p: 0, devp2p: 0 }
  return (transport: keyof typeof counts) =>
    (count: number): void => {
      counts[transport] = count
      onSum?.(counts.libp2p + counts.devp2p)
    }
}

/** What both networks are started with: a node that one of them bans is refused, and within a second disconnected, by the other. */
const commonOptions = ({ options, scoring }: BothState): NetworkOptions => ({
  ...options,
  scoring,
  instance: newInstance(),
  refuses: (publicKey, host, port) =>
    scoring.isBanned(idOf(publicKey)) ? 'banned for its behaviour' : options.refuses(publicKey, host, port),
})

/**
 * Connects over both transports at once, so that a network can move from one to the other node by node: consensus messages go
 * over the preferred connection with each validator, and transactions and blocks that arrive over one transport are forwarded
 * to the other.
 * @throws NetworkError when it cannot listen on one of the ports
 * @throws EnodeError when a bootnode or static node is not an enode URL
 */
export const startBoth = async (options: BothOptions): Promise<Network> => {
  const state = createState(options)
  const common = commonOptions(state)
  const counted = summing(options.onIncomplete)
  const libp2p = await startNetwork({
    ...common,
    port: options.libp2pPort,
    ipv6:
      options.ipv6 === undefined
        ? undefined
        : { host: options.ipv6.host, port: options.ipv6.port + portDistance(options) },
    bootnodes: [],
    staticNodes: [],
    learnedNodes: [],
    onIncomplete: counted('libp2p'),
    otherWithKey: otherWithKey(state, 'libp2p'),
    handlers: handlersOf(state, 'libp2p'),
  })
  try {
    const devp2p = await startDevp2p({
      ...common,
      chain: options.chain,
      onIncomplete: counted('devp2p'),
      otherWithKey: otherWithKey(state, 'devp2p'),
      handlers: handlersOf(state, 'devp2p'),
    })
    state.networks = { libp2p, devp2p }
    for (const entry of state.peers.values()) dialOverLibp2p(state, entry)
    return createBothNetwork(state, state.networks)
  } catch (error) {
    await libp2p.stop()
    throw error
  }
}
