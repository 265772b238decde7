import type { Network } from '../../../p2p/network.ts'
import type { TransportOptions } from '../../../p2p/startTransport.ts'
import { createMainSide, failPending, type MainSide, type MainSideOptions, receive } from './mainSide.ts'
import { ownBytes } from './joinedBytes.ts'
import type { NetworkSetup } from './protocol.ts'
import type { RefusedNodes } from './refusedNodes.ts'
import { createRemoteNetwork } from './remoteNetwork.ts'
import { type NetworkThread, openNetworkThread } from './thread.ts'

export type NetworkThreadOptions = Omit<
  TransportOptions,
  'refuses' | 'handlers' | 'log' | 'nowMs' | 'pause'
> &
  MainSideOptions & {
    readonly refusedNodes?: RefusedNodes | undefined
    /** See connectionCounts.ts. */
    readonly counters: SharedArrayBuffer
  }

const setupOf = (
  options: NetworkThreadOptions,
  { handlers, stateUpdates, handled }: MainSide,
): NetworkSetup => {
  const { privateKey, host, port, ipv6, advertisedHost } = options
  const { bootnodes, staticNodes, discovery, learnedNodes, maxPeers, inboundPeersMax, bootnodesFirst } =
    options
  const status = handlers.status()
  const { genesisHash, headHash } = status
  return {
    transport: options.transport,
    chain: options.chain,
    libp2pPort: options.libp2pPort,
    privateKey: ownBytes(privateKey),
    host,
    port,
    ipv6,
    advertisedHost,
    bootnodes,
    staticNodes,
    discovery,
    learnedNodes,
    maxPeers,
    inboundPeersMax,
    bootnodesFirst,
    refusedNodes: options.refusedNodes,
    status: { ...status, genesisHash: ownBytes(genesisHash), headHash: ownBytes(headHash) },
    nodeState: stateUpdates.now(),
    handled,
    counters: options.counters,
  }
}

/**
 * Starts the network on a worker thread, so that encryption, streams and gossip neither block the main event loop nor
 * lengthen its garbage collections. Events arrive in order.
 * @throws NetworkError and EnodeError as `startNetwork`; NetworkThreadError
 */
export const startNetworkThread = async (options: NetworkThreadOptions): Promise<Network> => {
  const side = createMainSide(options, (message, moved) => thread.send(message, moved))
  const thread: NetworkThread = openNetworkThread(
    setupOf(options, side),
    message => receive(side, message),
    error => failPending(side, error),
  )
  const listening = await thread.started
  side.stateUpdates.start(thread.send)
  return createRemoteNetwork(side, thread, listening)
}
