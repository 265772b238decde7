import { type Command, defineCommand } from '../cli/command.ts'
import { pathOption } from '../cli/option.ts'

const MIGRATE_OPTIONS = {
  fromBesu: pathOption({
    name: 'from-besu',
    group: 'Command',
    fallback: undefined,
    description: "Besu's configuration file (TOML) or its data path",
  }),
  genesisFile: pathOption({
    name: 'genesis-file',
    group: 'Command',
    fallback: undefined,
    shownDefault: "as in Besu's configuration, else genesis.json in or beside the data path",
    description: 'Genesis file of the network',
  }),
  dataPath: pathOption({
    name: 'data-path',
    group: 'Command',
    fallback: 'quorate-data',
    description: 'Data path of the new node',
  }),
}

export type MigrateOptions = typeof MIGRATE_OPTIONS

export const MIGRATE_COMMAND: Command = defineCommand({
  name: 'migrate',
  summary:
    'Show how this node treats the options and files of a Besu node, and the commands that replace that node',
  arguments: '',
  options: MIGRATE_OPTIONS,
  examples: [
    '--from-besu=/etc/besu/config.toml --data-path=/var/lib/quorate',
    '--from-besu=/var/lib/besu --genesis-file=/etc/besu/genesis.json',
  ],
  load: async () => (await import('./migrate.ts')).migrate,
})
