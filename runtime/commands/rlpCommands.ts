import { type Command, defineCommand } from '../cli/command.ts'
import { choiceOption } from '../cli/option.ts'
import { from, GROUP, to } from './sharedOptions.ts'

export type RlpOptions = typeof RLP_OPTIONS
const RLP_OPTIONS = {
  type: {
    ...choiceOption({
      name: 'type',
      group: GROUP,
      fallback: 'IBFT_EXTRA_DATA',
      choices: ['IBFT_EXTRA_DATA', 'QBFT_EXTRA_DATA'],
      placeholder: '<TYPE>',
      description: 'Required: QBFT_EXTRA_DATA, the only type of data that is supported',
    }),
    // Besu's default, IBFT_EXTRA_DATA, is refused.
    shownDefault: '',
  },
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
