import { toQuantity } from '../../../core/bytes/hex.ts'
import { type Method, method } from './method.ts'
import { listeningEnode, networkOf } from './network.ts'

export const NET_METHODS: readonly Method[] = [
  method('net_version', [], (_, { options }) => options.networkId.toString()),
  method('net_listening', [], (_, { network }) => network?.listening ?? false),
  method('net_peerCount', [], (_, { network }) => toQuantity(network?.peerCount() ?? 0)),
  method('net_services', [], (_, { services }) =>
    Object.fromEntries(
      Object.entries(services?.() ?? {}).map(([name, { host, port }]) => [
        name,
        { host, port: port.toString() },
      ]),
    ),
  ),
  method('net_enode', [], (_, context) => listeningEnode(networkOf(context))),
]
