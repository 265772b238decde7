import { LOG_LEVELS } from '../../logging/level.ts'
import {
  bigintOption,
  booleanOption,
  choiceOption,
  pathOption,
  textOption,
  type OptionTable,
} from '../option.ts'

const NODE = 'Node'
const LOGS = 'Logs'

/** Where the node keeps things, who it is, what it logs. */
export const NODE_BASE_OPTIONS = {
  dataPath: pathOption({
    name: 'data-path',
    group: NODE,
    fallback: './data',
    description: 'Folder for the key, the chain and everything else that is kept; made when missing',
  }),
  genesisFile: pathOption({
    name: 'genesis-file',
    group: NODE,
    fallback: undefined,
    description: "Besu's genesis file of the network; without it a development chain runs",
  }),
  networkId: bigintOption({
    name: 'network-id',
    group: NODE,
    fallback: undefined,
    shownDefault: 'chainId of the genesis file',
    description: 'What net_version answers; nodes of another one are refused',
  }),
  identity: textOption({
    name: 'identity',
    group: NODE,
    fallback: undefined,
    description: 'Name of this node inside the client version',
  }),
  nodePrivateKeyFile: pathOption({
    name: 'node-private-key-file',
    group: NODE,
    fallback: undefined,
    shownDefault: '<data-path>/key',
    description: 'File with the private key of this node: one line of 32 bytes of hex; made when missing',
  }),
  storage: textOption({
    name: 'storage',
    group: NODE,
    fallback: 'sqlite',
    placeholder: '<DRIVER>',
    description:
      'Where the chain is kept: sqlite, memory, fs, redis?url=..., postgresql?url=..., or any driver of unstorage with its options',
  }),
  storageUnsafe: booleanOption({
    name: 'storage-unsafe',
    group: NODE,
    fallback: false,
    description:
      'Let a validator run on storage that may lose blocks after a power cut or the end of the process',
  }),
  stopWithParent: booleanOption({
    name: 'stop-with-parent',
    group: NODE,
    fallback: false,
    description: 'Stop when standard input ends, as it does with the process that started this one',
  }),
  configFile: pathOption({
    name: 'config-file',
    group: NODE,
    fallback: undefined,
    description: 'TOML file with any of these options, names without the dashes',
  }),

  logging: choiceOption({
    name: 'logging',
    short: 'l',
    group: LOGS,
    fallback: 'INFO',
    choices: LOG_LEVELS,
    placeholder: '<LEVEL>',
    description: `How much is logged: ${LOG_LEVELS.join(', ')}`,
  }),
  loggingFormat: choiceOption({
    name: 'logging-format',
    group: LOGS,
    fallback: 'AUTO',
    choices: ['AUTO', 'PLAIN', 'JSON'],
    placeholder: '<FORMAT>',
    description: 'PLAIN lines, JSON lines, or AUTO: PLAIN on a terminal and JSON elsewhere',
  }),
  colorEnabled: booleanOption({
    name: 'color-enabled',
    group: LOGS,
    fallback: undefined,
    shownDefault: 'true on a terminal',
    description: 'Colour the log',
  }),
} satisfies OptionTable
