import { type Command, defineCommand } from '../../cli/command.ts'
import { NODE_OPTIONS } from '../../cli/nodeOptions.ts'
import { pathOption } from '../../cli/option.ts'
import { GROUP } from '../sharedOptions.ts'
import { NETWORK_INIT_COMMAND } from './networkInitCommand.ts'
import { OPERATOR_COMMAND } from './operatorCommand.ts'
import { REHEARSE_COMMAND } from './rehearseCommand.ts'
import { VALIDATORS_COMMANDS } from './validatorsCommands.ts'

export type TxparseOptions = typeof TXPARSE_OPTIONS
const TXPARSE_OPTIONS = {
  corpusFile: pathOption({
    name: 'corpus-file',
    group: GROUP,
    fallback: undefined,
    description: 'File with one encoded transaction a line, instead of standard input',
  }),
}

/** Commands that set a network up, change it, and show what is set. */
export const SETUP_COMMANDS: readonly Command[] = [
  NETWORK_INIT_COMMAND,
  OPERATOR_COMMAND,
  ...VALIDATORS_COMMANDS,
  defineCommand({
    name: 'genesis check',
    summary: 'Say what is wrong in genesis files, or differs between those of several companies',
    arguments: 'FILE...',
    options: {},
    examples: ['genesis.json', 'ours.json theirs.json'],
    load: async () => (await import('./genesisCheck.ts')).checkGenesis,
  }),
  REHEARSE_COMMAND,
  defineCommand({
    name: 'config show',
    summary: 'Show each option of a node, its value, and where that comes from',
    arguments: '',
    options: NODE_OPTIONS,
    examples: ['--config-file=quorate.toml'],
    load: async () => (await import('./configShow.ts')).showConfig,
  }),
  defineCommand({
    name: 'generate-completion',
    summary: 'Print the script that completes commands and options in bash, zsh or fish',
    arguments: '[SHELL]',
    options: {},
    examples: ['bash', 'fish'],
    load: async () => (await import('./completion.ts')).generateCompletion,
  }),
  defineCommand({
    name: 'txparse',
    summary: 'Print the sender of encoded transactions, one a line',
    arguments: '',
    options: TXPARSE_OPTIONS,
    examples: ['--corpus-file=transactions.txt'],
    load: async () => (await import('./txparse.ts')).parseTransactions,
  }),
]
