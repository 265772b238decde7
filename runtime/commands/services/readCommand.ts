import { type Command, defineCommand } from '../../cli/command.ts'
import { READ_OPTIONS } from '../../read/options.ts'

export const READ_COMMAND: Command = defineCommand({
  name: 'read',
  summary: 'Serve JSON-RPC and GraphQL from a store that a node fills with --replicate-to',
  arguments: '',
  options: READ_OPTIONS,
  examples: ['--from=postgresql?url=postgres://reader@10.0.0.7/chain --genesis-file=genesis.json'],
  load: async () => (await import('./read.ts')).runReader,
})
