import { type Command, defineCommand } from '../cli/command.ts'
import { NODE_OPTIONS } from '../cli/nodeOptions.ts'
import { READ_OPTIONS } from '../read/options.ts'
import {
  bigintOption,
  booleanOption,
  choiceOption,
  integerOption,
  pathOption,
  textOption,
} from '../cli/option.ts'

const GROUP = 'Command'

const LOG_OPTIONS = {
  configFile: NODE_OPTIONS.configFile,
  logging: NODE_OPTIONS.logging,
  loggingFormat: NODE_OPTIONS.loggingFormat,
  colorEnabled: NODE_OPTIONS.colorEnabled,
}

const CHAIN_OPTIONS = {
  dataPath: NODE_OPTIONS.dataPath,
  genesisFile: NODE_OPTIONS.genesisFile,
  storage: NODE_OPTIONS.storage,
  ...LOG_OPTIONS,
}

const RANGE_OPTIONS = {
  startBlock: bigintOption({
    name: 'start-block',
    group: GROUP,
    fallback: undefined,
    placeholder: '<BLOCK>',
    description: 'First block',
  }),
  endBlock: bigintOption({
    name: 'end-block',
    group: GROUP,
    fallback: undefined,
    placeholder: '<BLOCK>',
    description: 'Block to stop before',
  }),
}

const to = pathOption({
  name: 'to',
  group: GROUP,
  fallback: undefined,
  description: 'File to write instead of standard output',
})

const from = pathOption({
  name: 'from',
  group: GROUP,
  fallback: undefined,
  description: 'File to read instead of standard input',
})

const rlpType = choiceOption({
  name: 'type',
  group: GROUP,
  fallback: 'IBFT_EXTRA_DATA',
  choices: ['IBFT_EXTRA_DATA', 'QBFT_EXTRA_DATA'],
  placeholder: '<TYPE>',
  description: 'What the data is; only QBFT_EXTRA_DATA is supported',
})

const KEY_OPTIONS = {
  dataPath: NODE_OPTIONS.dataPath,
  nodePrivateKeyFile: {
    ...NODE_OPTIONS.nodePrivateKeyFile,
    description:
      'File with the private key, which must be there; the one of the data path is made when missing',
  },
  to,
}

export type ImportOptions = typeof IMPORT_OPTIONS
const IMPORT_OPTIONS = {
  ...CHAIN_OPTIONS,
  ...RANGE_OPTIONS,
  from: pathOption({
    name: 'from',
    group: GROUP,
    fallback: undefined,
    description: 'File of concatenated block RLP',
  }),
}

export type ExportOptions = typeof EXPORT_OPTIONS
const EXPORT_OPTIONS = {
  ...CHAIN_OPTIONS,
  ...RANGE_OPTIONS,
  to: pathOption({ name: 'to', group: GROUP, fallback: undefined, description: 'File to write' }),
}

export type KeyOptions = typeof KEY_OPTIONS

export type RlpOptions = typeof RLP_OPTIONS
const RLP_OPTIONS = { type: rlpType, from, to }

export type PasswordOptions = typeof PASSWORD_OPTIONS
const PASSWORD_OPTIONS = {
  password: textOption({
    name: 'password',
    group: GROUP,
    fallback: undefined,
    shownDefault: 'asked for, or read from standard input',
    description: 'The password; it stays in the history of the shell',
  }),
}

export type StatetestOptions = typeof STATETEST_OPTIONS
const STATETEST_OPTIONS = {
  json: booleanOption({
    name: 'json',
    group: GROUP,
    fallback: false,
    description: 'One JSON line for each test',
  }),
}

export type NetworkOptions = typeof NETWORK_OPTIONS
const NETWORK_OPTIONS = {
  dataPath: pathOption({
    name: 'data-path',
    group: GROUP,
    fallback: '../cli/network',
    description: 'Folder for keys, genesis file and the data of all nodes; kept between runs',
  }),
  validators: integerOption({
    name: 'validators',
    group: GROUP,
    fallback: 4,
    min: 1,
    max: 30,
    description: 'Nodes that make blocks; one more serves JSON-RPC',
  }),
  blockPeriod: integerOption({
    name: 'block-period',
    group: GROUP,
    fallback: 1,
    min: 1,
    max: 86_400,
    placeholder: '<SECONDS>',
    description: 'Time between two blocks of a new network',
  }),
  blockPeriodMs: integerOption({
    name: 'block-period-ms',
    group: GROUP,
    fallback: 0,
    min: 0,
    max: 86_400_000,
    shownDefault: 'off',
    placeholder: '<MS>',
    description: 'The same in milliseconds; instead of --block-period when above 0',
  }),
  rpcHttpPort: integerOption({
    name: 'rpc-http-port',
    group: GROUP,
    fallback: 8545,
    min: 0,
    max: 65_000,
    placeholder: '<PORT>',
    description: 'JSON-RPC port of the RPC node, the validators have the next ones; 0 for free ones',
  }),
  p2pPort: integerOption({
    name: 'p2p-port',
    group: GROUP,
    fallback: 30_303,
    min: 0,
    max: 65_000,
    placeholder: '<PORT>',
    description: 'The same for the connections between the nodes',
  }),
}

export type ValidateOptions = typeof VALIDATE_OPTIONS
const VALIDATE_OPTIONS = { configFile: NODE_OPTIONS.configFile }

export const NODE_COMMAND: Command = defineCommand({
  name: '',
  summary: 'Run a node; without --genesis-file a development chain with funded accounts',
  arguments: '',
  options: NODE_OPTIONS,
  examples: [
    '',
    '--genesis-file=genesis.json --data-path=node1 --rpc-http-enabled',
    '--config-file=quorate.toml --logging=DEBUG',
  ],
  load: async () => (await import('./node.ts')).runNode,
})

export const COMMANDS: readonly Command[] = [
  defineCommand({
    name: 'network',
    summary: 'Run validators and an RPC node on this machine as a network to try things on',
    arguments: '',
    options: NETWORK_OPTIONS,
    examples: ['--validators=4', '--validators=7 --block-period-ms=200 --data-path=seven'],
    load: async () => (await import('./network.ts')).runNetwork,
  }),
  defineCommand({
    name: 'read',
    summary: 'Serve JSON-RPC and GraphQL from a store that a node fills with --replicate-to',
    arguments: '',
    options: READ_OPTIONS,
    examples: ['--from=postgresql?url=postgres://reader@10.0.0.7/chain --genesis-file=genesis.json'],
    load: async () => (await import('./read.ts')).runReader,
  }),
  defineCommand({
    name: 'blocks import',
    summary: 'Validate, execute and keep the blocks of files',
    arguments: '[FILE...]',
    options: IMPORT_OPTIONS,
    examples: ['--genesis-file=genesis.json --from=chain.rlp'],
    load: async () => (await import('./blocksImport.ts')).importBlocks,
  }),
  defineCommand({
    name: 'blocks export',
    summary: 'Write blocks to a file as concatenated RLP',
    arguments: '',
    options: EXPORT_OPTIONS,
    examples: ['--to=chain.rlp --start-block=1 --end-block=1000'],
    load: async () => (await import('./blocksExport.ts')).exportBlocks,
  }),
  defineCommand({
    name: 'public-key export',
    summary: "Print the node's public key",
    arguments: '',
    options: KEY_OPTIONS,
    examples: ['--node-private-key-file=key'],
    load: async () => (await import('./publicKey.ts')).exportPublicKey,
  }),
  defineCommand({
    name: 'public-key export-address',
    summary: "Print the node's address, the one that stands among the validators",
    arguments: '',
    options: KEY_OPTIONS,
    examples: ['--data-path=data'],
    load: async () => (await import('./publicKey.ts')).exportAddress,
  }),
  defineCommand({
    name: 'rlp encode',
    summary: 'Make the extraData of a genesis file from a JSON array of validator addresses',
    arguments: '',
    options: RLP_OPTIONS,
    examples: ['--type=QBFT_EXTRA_DATA --from=validators.json'],
    load: async () => (await import('./rlp.ts')).encode,
  }),
  defineCommand({
    name: 'rlp decode',
    summary: 'Print the validators that an extraData names',
    arguments: '',
    options: RLP_OPTIONS,
    examples: ['--type=QBFT_EXTRA_DATA --from=extraData.txt'],
    load: async () => (await import('./rlp.ts')).decode,
  }),
  defineCommand({
    name: 'password hash',
    summary: 'Print the bcrypt hash of a password for a credentials file',
    arguments: '',
    options: PASSWORD_OPTIONS,
    examples: ['', '< password.txt'],
    load: async () => (await import('./passwordHash.ts')).hashPassword,
  }),
  defineCommand({
    name: 'evm statetest',
    summary: 'Run official state tests and print the totals',
    arguments: 'PATH...',
    options: STATETEST_OPTIONS,
    examples: ['GeneralStateTests/stExample'],
    load: async () => (await import('./evmStatetest.ts')).evmStatetest,
  }),
  defineCommand({
    name: 'validate-config',
    summary: 'Check the keys and values of a TOML configuration file',
    arguments: '',
    options: VALIDATE_OPTIONS,
    examples: ['--config-file=quorate.toml'],
    load: async () => (await import('./validateConfig.ts')).validateConfig,
  }),
]
