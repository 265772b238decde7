import type { ChainParameters, Network, NetworkOptions } from './network.ts'

/** How nodes connect: over libp2p, over devp2p as Besu and GoQuorum do, or over both while a network moves to libp2p. */
export type Transport = 'libp2p' | 'devp2p' | 'both'

export type TransportOptions = NetworkOptions & {
  readonly transport: Transport
  readonly chain: ChainParameters
  /** Where libp2p listens when `transport` is `both`; `port` is that of devp2p then. */
  readonly libp2pPort: number
}

/**
 * Starts the network over the chosen transport; the other one is not loaded.
 * @throws NetworkError when it cannot listen on the port
 * @throws EnodeError when a bootnode or static node is not an enode URL
 */
export const startTransport = async (options: TransportOptions): Promise<Network> => {
  if (options.transport === 'devp2p') {
    const { startDevp2p } = await import('./devp2p/startDevp2p.ts')
    return startDevp2p(options)
  }
  if (options.transport === 'both') {
    const { startBoth } = await import('./both/startBoth.ts')
    return startBoth(options)
  }
  const { startNetwork } = await import('./startNetwork.ts')
  return startNetwork(options)
}
