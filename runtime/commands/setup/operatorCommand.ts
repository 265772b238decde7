import { type Command, defineCommand } from '../../cli/command.ts'
import { pathOption, textOption } from '../../cli/option.ts'
import { GROUP, to } from '../sharedOptions.ts'

export type OperatorOptions = typeof OPTIONS
const OPTIONS = {
  configFile: pathOption({
    name: 'config-file',
    group: GROUP,
    fallback: undefined,
    description: 'JSON file with a genesis section without extraData, and blockchain.nodes',
  }),
  to: { ...to, description: 'Folder to write, which must be empty or missing' },
  genesisFileName: textOption({
    name: 'genesis-file-name',
    group: GROUP,
    fallback: 'genesis.json',
    placeholder: '<NAME>',
    description: 'Name of the genesis file',
  }),
  privateKeyFileName: textOption({
    name: 'private-key-file-name',
    group: GROUP,
    fallback: 'key.priv',
    placeholder: '<NAME>',
    description: 'Name of the private key file of each node',
  }),
  publicKeyFileName: textOption({
    name: 'public-key-file-name',
    group: GROUP,
    fallback: 'key.pub',
    placeholder: '<NAME>',
    description: 'Name of the public key file of each node',
  }),
}

export const OPERATOR_COMMAND: Command = defineCommand({
  name: 'operator generate-blockchain-config',
  summary: 'Write genesis file and keys of a network from a configuration of Besu’s form',
  arguments: '',
  options: OPTIONS,
  examples: ['--config-file=qbft.json --to=networkFiles'],
  load: async () => (await import('./operator.ts')).generateBlockchainConfig,
})
