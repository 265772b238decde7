import { toQuantity } from '../../../core/bytes/hex.ts'
import { type Method, method } from '../method.ts'
import { listeningEnode, networkOf } from './network.ts'

export const NET_METHODS: readonly Method[] = [
  method({
    name: 'net_version',
    summary: 'Returns the network id in decimal',
    params: {},
    result: 'Text',
    handle: (_, { options }) => options.networkId.toString(),
  }),
  method({
    name: 'net_listening',
    summary: 'Returns whether the node listens for peers',
    params: {},
    result: 'Boolean',
    handle: (_, { network }) => network?.listening ?? false,
  }),
  method({
    name: 'net_peerCount',
    summary: 'Returns the number of connected peers',
    params: {},
    result: 'Quantity',
    handle: (_, { network }) => toQuantity(network?.peerCount() ?? 0),
  }),
  method({
    name: 'net_services',
    summary: 'Returns the address of each running service of the node',
    params: {},
    result: 'Object',
    handle: (_, { services }) =>
      Object.fromEntries(
        Object.entries(services?.() ?? {}).map(([name, { host, port }]) => [
          name,
          { host, port: port.toString() },
        ]),
      ),
  }),
  method({
    name: 'net_enode',
    summary: 'Returns the enode URL of the node',
    params: {},
    result: 'Text',
    handle: (_, context) => listeningEnode(networkOf(context)),
  }),
]
