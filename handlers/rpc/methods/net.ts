import { toQuantity } from '../../../core/bytes/hex.ts'
import { RpcError } from '../errors.ts'
import { type Method, method } from '../method.ts'
import { required } from '../parameters/values.ts'

export const NET_METHODS: readonly Method[] = [
  method('net_version', [], (_, { options }) => options.networkId.toString()),
  method('net_listening', [], (_, { network }) => network?.listening ?? false),
  method('net_peerCount', [], (_, { network }) => {
    if (network === undefined) throw new RpcError('P2P_DISABLED')
    return toQuantity(network.peerCount())
  }),
  method('net_services', [], (_, { services }) =>
    Object.fromEntries(
      Object.entries(services?.() ?? {}).map(([name, { host, port }]) => [
        name,
        { host, port: port.toString() },
      ]),
    ),
  ),
  method('net_enode', [], (_, { network }) => {
    if (network === undefined) throw new RpcError('P2P_DISABLED')
    return required(network.enode, 'P2P_NOT_RUNNING')
  }),
]
