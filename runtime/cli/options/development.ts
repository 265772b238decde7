import { INTERVAL_SECONDS_MAX } from '../../../handlers/rpc/parameters/limits.ts'
import {
  customOption,
  decimalOption,
  integerOption,
  InvalidValue,
  type OptionTable,
  textOption,
} from '../option.ts'

const DEVELOPMENT = 'Development chain'

/** Longer than that of any client: it stands in the footer of the explorer, too. */
const CLIENT_VERSION_CHARACTERS_MAX = 200

const parseClientVersion = (text: string): string => {
  if (text.length > CLIENT_VERSION_CHARACTERS_MAX || !/^[\x20-\x7e]+$/.test(text))
    throw new InvalidValue(
      `: give 1 to ${CLIENT_VERSION_CHARACTERS_MAX} printable ASCII characters, such as anvil/v1.7.1`,
    )
  return text
}

/** Options of a development chain, which a node with a genesis file refuses. */
export const DEVELOPMENT_OPTIONS = {
  blockPeriod: decimalOption({
    name: 'block-period',
    group: DEVELOPMENT,
    fallback: 0,
    min: 0,
    max: INTERVAL_SECONDS_MAX,
    placeholder: '<SECONDS>',
    shownDefault: 'a block for each transaction',
    description: 'Make a block at this interval, with or without transactions',
  }),
  forkUrl: textOption({
    name: 'fork-url',
    group: DEVELOPMENT,
    fallback: undefined,
    placeholder: '<URL>',
    shownDefault: 'a chain of its own',
    description: 'Continue the chain of this JSON-RPC node, whose state and blocks are read on demand',
  }),
  forkBlock: integerOption({
    name: 'fork-block',
    group: DEVELOPMENT,
    fallback: undefined,
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
    placeholder: '<NUMBER>',
    shownDefault: 'the head of that chain',
    description: 'Last block of the other chain, with --fork-url',
  }),
  devClientVersion: customOption<string | undefined>({
    name: 'dev-client-version',
    group: DEVELOPMENT,
    fallback: undefined,
    placeholder: '<NAME/VERSION>',
    shownDefault: 'name and version of this node',
    description: 'Result of web3_clientVersion, for tools that ask for anvil/... or HardhatNetwork/...',
    parse: parseClientVersion,
  }),
} satisfies OptionTable
