import { INTERVAL_SECONDS_MAX } from '../../../handlers/rpc/parameters/limits.ts'
import { decimalOption, type OptionTable, textOption } from '../option.ts'

const DEVELOPMENT = 'Development chain'

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
  devClientVersion: textOption({
    name: 'dev-client-version',
    group: DEVELOPMENT,
    fallback: undefined,
    placeholder: '<NAME/VERSION>',
    shownDefault: 'name and version of this node',
    description: 'Result of web3_clientVersion, for tools that ask for anvil/... or HardhatNetwork/...',
  }),
} satisfies OptionTable
