import { type Command, defineCommand } from '../../cli/command.ts'
import { booleanOption } from '../../cli/option.ts'
import { GROUP } from '../sharedOptions.ts'

export type StatetestOptions = typeof STATETEST_OPTIONS
const STATETEST_OPTIONS = {
  json: booleanOption({
    name: 'json',
    group: GROUP,
    fallback: false,
    description: 'Print one JSON line for each test',
  }),
  compileAll: booleanOption({
    name: 'compile-all',
    group: GROUP,
    fallback: false,
    description: 'Compile contract code at its first call, to test compiled code',
  }),
}

export const STATETEST_COMMAND: Command = defineCommand({
  name: 'evm statetest',
  summary: 'Run official state tests and print the totals',
  arguments: 'PATH...',
  options: STATETEST_OPTIONS,
  examples: ['GeneralStateTests/stExample'],
  load: async () => (await import('./evmStatetest.ts')).evmStatetest,
})
