import { LOCAL_RPC_URL } from '../cli/ports.ts'
import { NODE_OPTIONS } from '../cli/nodeOptions.ts'
import { pathOption, textOption } from '../cli/option.ts'

/** The group of options that belong to one command. */
export const GROUP = 'Command'

/** Options of every command that logs. */
const LOG_OPTIONS = {
  configFile: NODE_OPTIONS.configFile,
  logging: NODE_OPTIONS.logging,
  loggingFormat: NODE_OPTIONS.loggingFormat,
  colorEnabled: NODE_OPTIONS.colorEnabled,
}

/** Options of every command that opens a chain. */
export const CHAIN_OPTIONS = {
  dataPath: NODE_OPTIONS.dataPath,
  genesisFile: {
    ...NODE_OPTIONS.genesisFile,
    description:
      "Genesis file of the network in Besu's format; without it the command uses the development chain in the data path",
  },
  storage: NODE_OPTIONS.storage,
  ...LOG_OPTIONS,
}

export const to = pathOption({
  name: 'to',
  group: GROUP,
  fallback: undefined,
  description: 'File to write instead of standard output',
})

export const from = pathOption({
  name: 'from',
  group: GROUP,
  fallback: undefined,
  description: 'File to read instead of standard input',
})

/** Options of every command that calls a running node. */
export const NODE_CLIENT_OPTIONS = {
  url: textOption({
    name: 'url',
    group: GROUP,
    fallback: LOCAL_RPC_URL,
    placeholder: '<URL>',
    description: 'JSON-RPC of the node, which serves the group QBFT',
  }),
  tokenFile: pathOption({
    name: 'token-file',
    group: GROUP,
    fallback: undefined,
    description: 'File with a token, if the node requires one',
  }),
}

export type NodeClientOptions = typeof NODE_CLIENT_OPTIONS
