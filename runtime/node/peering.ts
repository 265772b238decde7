import type { Network, NetworkHandlers } from '../../p2p/network.ts'
import type { NodeOptions } from '../cli/nodeOptions.ts'
import type { Consensus } from '../consensus/consensus.ts'
import type { Exchange } from '../exchange/exchange.ts'
import type { NodeKey } from '../keys/nodeKey.ts'
import { logOf } from '../logging/log.ts'

/** What the network tells of goes to the exchange, and of consensus messages and arriving peers to the consensus. */
const handlersOf = (exchange: Exchange, consensus: Consensus | undefined): NetworkHandlers => ({
  ...exchange.handlers,
  onPeer: peer => {
    exchange.handlers.onPeer(peer)
    consensus?.peerConnected(peer)
  },
  onConsensusMessage: (peer, code, data) => consensus?.message(peer, code, data),
})

/** Listens for other nodes and connects with those the options name. @throws NetworkError */
export const connectNetwork = async (
  options: NodeOptions,
  key: NodeKey,
  staticNodes: readonly string[],
  exchange: Exchange,
  consensus: Consensus | undefined,
): Promise<Network> => {
  const { startNetwork } = await import('../../p2p/startNetwork.ts')
  const network = await startNetwork({
    privateKey: key.privateKey,
    host: options.p2pInterface,
    port: options.p2pPort,
    advertisedHost: options.p2pHost,
    bootnodes: options.bootnodes,
    staticNodes,
    discovery: options.discoveryEnabled,
    maxPeers: options.maxPeers,
    refuses: () => undefined,
    handlers: handlersOf(exchange, consensus),
    log: logOf('p2p'),
    nowMs: () => Date.now(),
  })
  exchange.attach(network)
  consensus?.attach(network)
  return network
}
