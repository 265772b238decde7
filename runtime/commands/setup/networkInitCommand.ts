import { type Command, defineCommand } from '../../cli/command.ts'
import { integerOption, listOption } from '../../cli/option.ts'
import { GROUP } from '../sharedOptions.ts'

export type NetworkInitOptions = typeof OPTIONS
const OPTIONS = {
  validators: integerOption({
    name: 'validators',
    group: GROUP,
    fallback: 4,
    min: 1,
    max: 100,
    description: 'Number of validators; four tolerate the failure of one',
  }),
  hosts: listOption({
    name: 'hosts',
    group: GROUP,
    fallback: [] as readonly string[],
    shownDefault: 'all on this machine',
    placeholder: '<HOSTS>',
    check: entries => entries.filter(entry => entry !== ''),
    description: 'Addresses or names of the machines, one for each validator',
  }),
  period: integerOption({
    name: 'period',
    group: GROUP,
    fallback: 2,
    min: 1,
    max: 86_400,
    placeholder: '<SECONDS>',
    description: 'Block period',
  }),
  chainId: integerOption({
    name: 'chain-id',
    group: GROUP,
    fallback: undefined,
    min: 1,
    max: Number.MAX_SAFE_INTEGER,
    shownDefault: 'a random one',
    description: 'Chain id, which signatures of transactions contain',
  }),
}

export const NETWORK_INIT_COMMAND: Command = defineCommand({
  name: 'network init',
  summary: 'Write genesis file, keys, static nodes, configuration and units of a new network',
  arguments: 'DIR',
  options: OPTIONS,
  examples: ['mynet --validators=4', 'mynet --hosts=a.example,b.example,c.example,d.example'],
  load: async () => (await import('./networkInit.ts')).initNetwork,
})
