import type { ChainFacts, Network, NetworkOptions } from './network.ts'

/** How nodes connect: over libp2p, or over devp2p as Besu and GoQuorum do. */
export type Transport = 'libp2p' | 'devp2p'

export type TransportOptions = NetworkOptions & {
  readonly transport: Transport
  readonly chain: ChainFacts
}

/**
 * Starts the network over the chosen transport; the other one is not loaded.
 * @throws NetworkError when it cannot listen on the port
 * @throws EnodeError when a bootnode or static node is no enode URL
 */
export const startTransport = async (options: TransportOptions): Promise<Network> => {
  if (options.transport === 'devp2p') {
    const { startDevp2p } = await import('./devp2p/startDevp2p.ts')
    return startDevp2p(options)
  }
  const { startNetwork } = await import('./startNetwork.ts')
  return startNetwork(options)
}
