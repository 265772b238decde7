import { type Command, defineCommand } from '../../cli/command.ts'
import { booleanOption } from '../../cli/option.ts'
import { GROUP, NODE_CLIENT_OPTIONS } from '../sharedOptions.ts'

export type ProposeOptions = typeof PROPOSE_OPTIONS
const PROPOSE_OPTIONS = {
  ...NODE_CLIENT_OPTIONS,
  remove: booleanOption({
    name: 'remove',
    group: GROUP,
    fallback: false,
    description: 'Vote to remove the validator instead of adding it',
  }),
  force: booleanOption({
    name: 'force',
    group: GROUP,
    fallback: false,
    description: 'Vote although the change would leave too few validators for a quorum',
  }),
}

/** Votes on validators, through a running node. */
export const VALIDATORS_COMMANDS: readonly Command[] = [
  defineCommand({
    name: 'validators list',
    summary: 'List the validators, the votes on them, and how many may fail',
    arguments: '',
    options: NODE_CLIENT_OPTIONS,
    examples: ['', '--url=http://127.0.0.1:8545'],
    load: async () => (await import('./validators.ts')).listValidators,
  }),
  defineCommand({
    name: 'validators propose',
    summary: 'Vote to add or remove a validator, with the effect on the quorum',
    arguments: 'ADDRESS',
    options: PROPOSE_OPTIONS,
    examples: ['0x12...', '0x12... --remove'],
    load: async () => (await import('./validators.ts')).proposeValidator,
  }),
  defineCommand({
    name: 'validators discard',
    summary: 'Withdraw the vote of the node on a validator',
    arguments: 'ADDRESS',
    options: NODE_CLIENT_OPTIONS,
    examples: ['0x12...'],
    load: async () => (await import('./validators.ts')).discardVote,
  }),
]
