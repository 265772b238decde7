import { P2P_PORT, RPC_PORT } from '../../cli/ports.ts'
import { type Command, defineCommand } from '../../cli/command.ts'
import { booleanOption, integerOption, listOption, pathOption } from '../../cli/option.ts'
import { checkCorsOrigins } from '../../cli/values/rpc.ts'
import { GROUP } from '../sharedOptions.ts'

export type NetworkCommandOptions = typeof NETWORK_OPTIONS
const NETWORK_OPTIONS = {
  dataPath: pathOption({
    name: 'data-path',
    group: GROUP,
    fallback: './network',
    description: 'Folder for keys, genesis file and the data of all nodes; kept between runs',
  }),
  validators: integerOption({
    name: 'validators',
    group: GROUP,
    fallback: 4,
    min: 1,
    max: 30,
    description: 'Number of validators; one more node serves JSON-RPC',
  }),
  blockPeriod: integerOption({
    name: 'block-period',
    group: GROUP,
    fallback: 1,
    min: 1,
    max: 86_400,
    placeholder: '<SECONDS>',
    description: 'Block period of a new network',
  }),
  blockPeriodMs: integerOption({
    name: 'block-period-ms',
    group: GROUP,
    fallback: 0,
    min: 0,
    max: 86_400_000,
    shownDefault: 'off',
    placeholder: '<MS>',
    description: 'Block period of a new network in milliseconds; replaces --block-period if above 0',
  }),
  rpcHttpPort: integerOption({
    name: 'rpc-http-port',
    group: GROUP,
    fallback: RPC_PORT,
    min: 0,
    max: 65_000,
    placeholder: '<PORT>',
    description: 'JSON-RPC port of the RPC node; the validators use the next ones; 0 for free ones',
  }),
  rpcHttpCorsOrigins: listOption({
    name: 'rpc-http-cors-origins',
    group: GROUP,
    fallback: ['http://localhost:[0-9]+', 'http://127\\.0\\.0\\.1:[0-9]+'] as readonly string[],
    check: checkCorsOrigins,
    description: 'Web origins whose pages may call the RPC node, as regular expressions; * for all',
  }),
  metricsEnabled: booleanOption({
    name: 'metrics-enabled',
    group: GROUP,
    fallback: false,
    description: 'Serve metrics of each node for Prometheus on a free port, which its log names',
  }),
  p2pPort: integerOption({
    name: 'p2p-port',
    group: GROUP,
    fallback: P2P_PORT,
    min: 0,
    max: 65_000,
    placeholder: '<PORT>',
    description: 'P2P port of the RPC node; the validators use the next ones; 0 for free ones',
  }),
}

export const NETWORK_COMMAND: Command = defineCommand({
  name: 'network',
  summary: 'Run a network of validators and an RPC node on this machine',
  arguments: '',
  options: NETWORK_OPTIONS,
  examples: ['--validators=4', '--validators=7 --block-period-ms=200 --data-path=seven'],
  load: async () => (await import('./network.ts')).runNetwork,
})
