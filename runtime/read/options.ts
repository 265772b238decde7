import { NODE_OPTIONS } from '../cli/nodeOptions.ts'
import {
  choiceOption,
  customOption,
  integerOption,
  InvalidValue,
  type OptionTable,
  textOption,
} from '../cli/option.ts'
import { FEE_OPTIONS } from '../cli/options/fees.ts'
import { GRAPHQL_OPTIONS } from '../cli/options/graphql.ts'
import { RPC_OPTIONS, SHARED_RPC_OPTIONS } from '../cli/options/rpc.ts'
import { HTTP_AUTH_OPTIONS, PROXY_OPTIONS, WS_AUTH_OPTIONS } from '../cli/options/rpcAuth.ts'
import { WS_OPTIONS } from '../cli/options/ws.ts'
import { fromHex } from '../../core/bytes/hex.ts'
import { upstreamProblem } from './upstream.ts'

const GROUP = 'Command'

/** A block that the operator trusts. */
export type TrustedBlockOption = { readonly number: bigint; readonly hash: Uint8Array }

const parseTrustedBlock = (text: string): TrustedBlockOption => {
  const match = /^(\d{1,15}):0x([0-9a-fA-F]{64})$/.exec(text)
  if (match === null) throw new InvalidValue(`: '${text}' is not <number>:<hash>, such as 1200000:0x3f…`)
  return { number: BigInt(match[1] as string), hash: fromHex((match[2] as string).toLowerCase()) }
}

const parseUpstream = (text: string): string => {
  const problem = upstreamProblem(text)
  if (problem !== undefined) throw new InvalidValue(`: ${problem}`)
  return text
}

/** A copied chain has no index. */
const { explorerIndex: _, ...READER_RPC_OPTIONS } = RPC_OPTIONS

/** The options of `read`: its own, and those of a node's JSON-RPC and GraphQL. */
export const READ_OPTIONS = {
  from: textOption({
    name: 'from',
    group: GROUP,
    fallback: undefined,
    placeholder: '<STORE>',
    shownDefault: 'required',
    description: 'Store that a node fills with --replicate-to, in the same form',
  }),
  genesisFile: {
    ...NODE_OPTIONS.genesisFile,
    shownDefault: 'required',
    description: "Genesis file of the network in Besu's format",
  },
  verify: choiceOption({
    name: 'verify',
    group: GROUP,
    fallback: 'head',
    choices: ['none', 'head', 'state'],
    description:
      'What is proved: nothing (a store of your own), that a quorum sealed each new head, or everything in each answer',
  }),
  trustedBlock: customOption<TrustedBlockOption | undefined>({
    name: 'trusted-block',
    group: GROUP,
    fallback: undefined,
    placeholder: '<NUMBER>:<HASH>',
    shownDefault: 'the genesis block',
    parse: parseTrustedBlock,
    description: 'The block from which the validators are followed',
  }),
  maxHeadAge: integerOption({
    name: 'max-head-age',
    group: GROUP,
    fallback: 0,
    min: 0,
    max: 31_536_000,
    shownDefault: 'no limit',
    placeholder: '<SECONDS>',
    description: '/readiness is DOWN when the head is older',
  }),
  upstream: customOption<string | undefined>({
    name: 'upstream',
    group: GROUP,
    fallback: undefined,
    placeholder: '<URL>',
    shownDefault: 'none',
    parse: parseUpstream,
    description:
      'JSON-RPC of a node that answers methods which need a pool (sent transactions, filters, txpool), with the token of the caller',
  }),
  networkId: NODE_OPTIONS.networkId,
  identity: NODE_OPTIONS.identity,
  stopWithParent: NODE_OPTIONS.stopWithParent,
  p2pHost: NODE_OPTIONS.p2pHost,
  configFile: NODE_OPTIONS.configFile,
  logging: NODE_OPTIONS.logging,
  loggingFormat: NODE_OPTIONS.loggingFormat,
  colorEnabled: NODE_OPTIONS.colorEnabled,
  ...SHARED_RPC_OPTIONS,
  ...READER_RPC_OPTIONS,
  ...WS_OPTIONS,
  ...GRAPHQL_OPTIONS,
  ...HTTP_AUTH_OPTIONS,
  ...WS_AUTH_OPTIONS,
  ...PROXY_OPTIONS,
  ...FEE_OPTIONS,
} satisfies OptionTable
