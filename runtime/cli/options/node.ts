import { HISTORY_BLOCKS_MIN } from '../../../core/store/limits.ts'
import { LOG_LEVELS } from '../../../handlers/rpc/logLevels.ts'
import { checkRequiredBlocks } from '../values/chain.ts'
import { parseProfile, type Profile, PROFILES } from '../sources/profiles.ts'
import {
  bigintOption,
  booleanOption,
  choiceOption,
  customOption,
  integerOption,
  listOption,
  pathOption,
  textOption,
  type OptionTable,
} from '../option.ts'

const NODE = 'Node'
const LOGS = 'Logs'

/** Data path, identity, storage and logs of a node. */
export const NODE_BASE_OPTIONS = {
  dataPath: pathOption({
    name: 'data-path',
    group: NODE,
    fallback: './data',
    description: 'Folder for the key, the chain and all other files of the node; created if missing',
  }),
  genesisFile: pathOption({
    name: 'genesis-file',
    group: NODE,
    fallback: undefined,
    description: "Genesis file of the network in Besu's format; without it a development chain runs",
  }),
  networkId: bigintOption({
    name: 'network-id',
    group: NODE,
    fallback: undefined,
    shownDefault: 'chainId of the genesis file',
    description: 'Result of net_version; nodes with another network id are refused',
  }),
  identity: textOption({
    name: 'identity',
    group: NODE,
    fallback: undefined,
    description: 'Name of this node in the client version',
  }),
  nodePrivateKeyFile: pathOption({
    name: 'node-private-key-file',
    group: NODE,
    fallback: undefined,
    shownDefault: '<data-path>/key',
    description: 'File with the private key of this node, one line of 32 bytes in hex; created if missing',
  }),
  pidPath: pathOption({
    name: 'pid-path',
    group: NODE,
    fallback: undefined,
    description: 'File for the id of the process while the node runs',
  }),
  profile: customOption<Profile>({
    name: 'profile',
    group: NODE,
    fallback: 'NONE',
    placeholder: '<PROFILE>',
    parse: parseProfile,
    description: `Defaults of Besu's profile: ${PROFILES.join(', ')}; ENTERPRISE and PRIVATE set a gas price of zero`,
  }),
  requiredBlocks: listOption({
    name: 'required-blocks',
    aliases: ['required-block'],
    group: NODE,
    fallback: [] as readonly string[],
    shownDefault: 'none',
    placeholder: '<NUMBER=HASH>',
    check: checkRequiredBlocks,
    description: 'Blocks that the chain must have: the node stops when it has another one at that number',
  }),
  storage: textOption({
    name: 'storage',
    group: NODE,
    fallback: 'sqlite',
    placeholder: '<DRIVER>',
    description:
      'Storage of the chain: sqlite, memory, fs, redis?url=..., postgresql?url=..., or any driver of unstorage with its options',
  }),
  storageUnsafe: booleanOption({
    name: 'storage-unsafe',
    group: NODE,
    fallback: false,
    description:
      'Run a validator although its storage may lose blocks in a power cut or at the end of the process',
  }),
  pruneHistory: integerOption({
    name: 'prune-history',
    group: NODE,
    fallback: undefined,
    shownDefault: 'all blocks are kept',
    min: HISTORY_BLOCKS_MIN,
    max: 2 ** 31 - 1,
    minReason:
      'proofs, fee histories, restarts and peers that were away for some minutes need that many blocks',
    placeholder: '<BLOCKS>',
    description:
      'Number of last blocks to keep: transactions, receipts, logs and states of earlier ones are removed, headers stay',
  }),
  stopWithParent: booleanOption({
    name: 'stop-with-parent',
    group: NODE,
    fallback: false,
    description: 'Stop when standard input ends, which happens when the parent process ends',
  }),
  configFile: pathOption({
    name: 'config-file',
    group: NODE,
    fallback: undefined,
    description: 'TOML file with any of these options, without the leading dashes',
  }),

  logging: choiceOption({
    name: 'logging',
    short: 'l',
    group: LOGS,
    fallback: 'INFO',
    choices: LOG_LEVELS,
    placeholder: '<LEVEL>',
    description: `Minimum level of logged lines: ${LOG_LEVELS.join(', ')}`,
  }),
  loggingFormat: choiceOption({
    name: 'logging-format',
    group: LOGS,
    fallback: 'AUTO',
    choices: ['AUTO', 'PLAIN', 'JSON'],
    placeholder: '<FORMAT>',
    description: 'PLAIN lines, JSON lines, or AUTO: PLAIN on a terminal, otherwise JSON',
  }),
  logFile: pathOption({
    name: 'log-file',
    group: LOGS,
    fallback: undefined,
    shownDefault: 'standard output',
    description: 'File for the log; SIGHUP opens it again by its name',
  }),
  logFileMaxSize: integerOption({
    name: 'log-file-max-size',
    group: LOGS,
    fallback: 100,
    min: 1,
    max: 100_000,
    placeholder: '<MIB>',
    description: 'Size at which the log file is rotated',
  }),
  logFileCount: integerOption({
    name: 'log-file-count',
    group: LOGS,
    fallback: 5,
    min: 0,
    max: 100,
    description: 'Rotated log files to keep',
  }),
  colorEnabled: booleanOption({
    name: 'color-enabled',
    group: LOGS,
    fallback: undefined,
    shownDefault: 'true on a terminal',
    description: 'Colour the log',
  }),
} satisfies OptionTable
