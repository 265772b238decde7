import type { Hash } from '../../core/bytes/bytes.ts'
import type { RpcNetwork } from '../../handlers/rpc/context.ts'
import { NetworkError } from '../../p2p/error.ts'
import type { Network } from '../../p2p/network.ts'
import { protocolsOf } from '../../p2p/protocols.ts'

/** `consensus/1` of `/quorate/<genesis hash>/consensus/1`, and so on. */
const capabilitiesOf = (genesisHash: Hash): readonly string[] =>
  Object.values(protocolsOf(genesisHash)).map(name => name.split('/').slice(-2).join('/'))

/** The network as JSON-RPC sees it, which answers before the network stands. */
export const rpcNetworkOf = (genesisHash: Hash, network: () => Network | undefined): RpcNetwork => {
  const standing = (): Network => {
    const stands = network()
    if (stands !== undefined) return stands
    throw new NetworkError('NOT_CONNECTED', 'this node is starting and does not listen for others yet')
  }
  return {
    get listening() {
      return network() !== undefined
    },
    get enode() {
      return network()?.enode
    },
    capabilities: capabilitiesOf(genesisHash),
    peerCount: () => network()?.peers().length ?? 0,
    peers: () => network()?.peers() ?? [],
    addPeer: async enode => standing().addPeer(enode),
    removePeer: async enode => standing().removePeer(enode),
  }
}
