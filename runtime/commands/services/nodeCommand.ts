import { type Command, defineCommand } from '../../cli/command.ts'
import { NODE_OPTIONS } from '../../cli/nodeOptions.ts'

export const NODE_COMMAND: Command = defineCommand({
  name: '',
  summary: 'Run a node; without --genesis-file a development chain with funded accounts',
  arguments: '',
  options: NODE_OPTIONS,
  examples: [
    '',
    '--genesis-file=genesis.json --data-path=node1 --rpc-http-enabled',
    '--config-file=quorate.toml --logging=DEBUG',
  ],
  check: async options => (await import('../../node/checkOptions.ts')).checkOptions(options),
  load: async () => (await import('./node.ts')).runNode,
})
