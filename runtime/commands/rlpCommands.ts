import { type Command, defineCommand } from '../cli/command.ts'
import { choiceOption } from '../cli/option.ts'
import { from, GROUP, to } from './sharedOptions.ts'

export type RlpOptions = typeof RLP_OPTIONS
const RLP_OPTIONS = {
  type: choiceOption({
    name: 'type',
    group: GROUP,
    fallback: 'IBFT_EXTRA_DATA',
    choices: ['IBFT_EXTRA_DATA', 'QBFT_EXTRA_DATA'],
    placeholder: '<TYPE>',
    description:
      'QBFT_EXTRA_DATA for a new chain; IBFT_EXTRA_DATA is the form of IBFT 2.0, and Besu’s default',
  }),
  from,
  to,
}

export const RLP_COMMANDS: readonly Command[] = [
  defineCommand({
    name: 'rlp encode',
    summary: 'Encode a JSON array of validator addresses as the extraData of a genesis file',
    arguments: '',
    options: RLP_OPTIONS,
    examples: ['--type=QBFT_EXTRA_DATA --from=validators.json'],
    load: async () => (await import('./rlp.ts')).encode,
  }),
  defineCommand({
    name: 'rlp decode',
    summary: 'Print the validators in an extraData',
    arguments: '',
    options: RLP_OPTIONS,
    examples: ['--type=QBFT_EXTRA_DATA --from=extraData.txt'],
    load: async () => (await import('./rlp.ts')).decode,
  }),
]
