import { type Command, defineCommand } from '../../cli/command.ts'
import { booleanOption } from '../../cli/option.ts'
import { CHAIN_OPTIONS, GROUP } from '../sharedOptions.ts'

const { dataPath, genesisFile, configFile, logging, loggingFormat, colorEnabled } = CHAIN_OPTIONS

/** The commands read the files of `--storage=sqlite`, the default. */
const STORAGE_OPTIONS = { dataPath, configFile, logging, loggingFormat, colorEnabled }

export type CheckStorageOptions = typeof CHECK_OPTIONS
const CHECK_OPTIONS = {
  ...STORAGE_OPTIONS,
  genesisFile,
  repair: booleanOption({
    name: 'repair',
    group: GROUP,
    fallback: false,
    description: 'Build damaged views again from the block records',
  }),
}

export type ReportOptions = typeof REPORT_OPTIONS
const REPORT_OPTIONS = {
  ...STORAGE_OPTIONS,
  json: booleanOption({ name: 'json', group: GROUP, fallback: false, description: 'Print one JSON object' }),
}

export const STORAGE_COMMANDS: readonly Command[] = [
  defineCommand({
    name: 'storage report',
    summary: 'Print the bytes of a stopped node by kind, its growth, and what empty blocks cost',
    arguments: '',
    options: REPORT_OPTIONS,
    examples: ['--data-path=node1'],
    load: async () => (await import('./report.ts')).reportStorage,
  }),
  defineCommand({
    name: 'storage check',
    summary: 'Verify every checksum and root in the data path of a stopped node',
    arguments: '',
    options: CHECK_OPTIONS,
    examples: ['--genesis-file=genesis.json --data-path=node1 --repair'],
    load: async () => (await import('./check.ts')).checkStorage,
  }),
]
