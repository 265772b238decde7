import type { Hash } from '../../../core/bytes/bytes.ts'
import type { RpcNetwork } from '../../../handlers/rpc/context.ts'
import type { Network } from '../../../p2p/network.ts'
import { protocolsOf } from '../../../p2p/transport/protocols.ts'

/** `consensus/1` of `/quorate/<genesis hash>/consensus/1`, and so on. */
const capabilitiesOf = (genesisHash: Hash): readonly string[] =>
  Object.values(protocolsOf(genesisHash)).map(name => name.split('/').slice(-2).join('/'))

/**
 * The network for JSON-RPC, which answers before the network runs: calls that need the network wait for it.
 * @param started resolves once the network listens; rejects if the node stops first
 */
export const rpcNetworkOf = (
  genesisHash: Hash,
  network: () => Network | undefined,
  started: Promise<Network>,
): RpcNetwork => ({
  get listening() {
    return network() !== undefined
  },
  get enode() {
    return network()?.enode
  },
  capabilities: capabilitiesOf(genesisHash),
  peerCount: () => network()?.peers().length ?? 0,
  peers: () => network()?.peers() ?? [],
  whenListening: async () => (await started).enode,
  addPeer: async enode => (await started).addPeer(enode),
  removePeer: async enode => (await started).removePeer(enode),
})
