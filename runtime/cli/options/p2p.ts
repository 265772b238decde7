import {
  booleanOption,
  choiceOption,
  customOption,
  integerOption,
  listOption,
  type OptionTable,
  pathOption,
} from '../option.ts'
import { checkEnodes, parseAdvertisedHost, parseInterface } from '../p2pValues.ts'

const NETWORK = 'Network'
const CONSENSUS = 'Consensus'

/** Connections with other nodes. */
export const P2P_OPTIONS = {
  p2pEnabled: booleanOption({
    name: 'p2p-enabled',
    group: NETWORK,
    fallback: undefined,
    shownDefault: 'true, false on a development chain',
    description: 'Connect with other nodes',
  }),
  p2pProtocol: choiceOption({
    name: 'p2p-protocol',
    group: NETWORK,
    fallback: 'libp2p',
    choices: ['libp2p', 'devp2p'],
    description: 'How nodes connect: libp2p among nodes of this software, devp2p with Besu and GoQuorum',
  }),
  p2pHost: customOption({
    name: 'p2p-host',
    group: NETWORK,
    fallback: '127.0.0.1',
    placeholder: '<HOST>',
    parse: parseAdvertisedHost,
    description: 'Address or name that others are told to reach this node by',
  }),
  p2pInterface: customOption({
    name: 'p2p-interface',
    group: NETWORK,
    fallback: '0.0.0.0',
    placeholder: '<ADDRESS>',
    parse: parseInterface,
    description: 'Address to listen on for other nodes',
  }),
  p2pPort: integerOption({
    name: 'p2p-port',
    group: NETWORK,
    fallback: 30_303,
    min: 0,
    max: 65_535,
    placeholder: '<PORT>',
    description: 'TCP port to listen on for other nodes; 0 takes a free one',
  }),
  bootnodes: listOption({
    name: 'bootnodes',
    group: NETWORK,
    fallback: [] as readonly string[],
    shownDefault: 'none',
    check: checkEnodes,
    description: 'enode URLs of the nodes to begin with; names are looked up at each dial',
  }),
  staticNodesFile: pathOption({
    name: 'static-nodes-file',
    group: NETWORK,
    fallback: undefined,
    shownDefault: '<data-path>/static-nodes.json',
    description: 'JSON array of enode URLs of the nodes to stay connected with',
  }),
  discoveryEnabled: booleanOption({
    name: 'discovery-enabled',
    group: NETWORK,
    fallback: true,
    description: 'Learn of further nodes from those that are connected',
  }),
  maxPeers: integerOption({
    name: 'max-peers',
    aliases: ['p2p-peer-upper-bound'],
    group: NETWORK,
    fallback: 25,
    min: 0,
    max: 1_000,
    description: 'Most nodes to be connected with, static ones not counted',
  }),
  syncMinPeers: integerOption({
    name: 'sync-min-peers',
    aliases: ['fast-sync-min-peers'],
    group: NETWORK,
    fallback: 1,
    min: 1,
    max: 1_000,
    description: 'Nodes to wait for, some seconds at most, before the chain is first caught up with',
  }),
} satisfies OptionTable

/** How this node takes part in the agreement on blocks. */
export const CONSENSUS_OPTIONS = {
  qbftMaxRequestTimeout: integerOption({
    name: 'qbft-max-request-timeout',
    group: CONSENSUS,
    fallback: 60,
    min: 1,
    max: 86_400,
    placeholder: '<SECONDS>',
    description: 'Longest that a round may take, however many went before it; never below the genesis file’s',
  }),
  qbftEarlyRoundChange: booleanOption({
    name: 'Xqbft-enable-early-round-change',
    group: CONSENSUS,
    fallback: true,
    description: 'Follow to a later round as soon as more validators ask for it than can be faulty',
  }),
  bftLegacyProtocolEncoding: booleanOption({
    name: 'Xbft-legacy-protocol-encoding',
    group: CONSENSUS,
    fallback: false,
    description: 'Write messages as Besu did before 26.1; both forms are always read',
  }),
} satisfies OptionTable
