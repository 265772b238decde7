import { P2P_PORT } from '../ports.ts'
import {
  booleanOption,
  choiceOption,
  customOption,
  integerOption,
  listOption,
  type OptionTable,
  pathOption,
} from '../option.ts'
import {
  checkEnodes,
  checkNetworks,
  checkNodeIds,
  parseAdvertisedHost,
  parseInterface,
} from '../values/p2p.ts'

const NETWORK = 'Network'
const CONSENSUS = 'Consensus'

/** Connections to other nodes. */
export const P2P_OPTIONS = {
  p2pEnabled: booleanOption({
    name: 'p2p-enabled',
    group: NETWORK,
    fallback: undefined,
    shownDefault: 'true, false on a development chain',
    description: 'Connect to other nodes',
  }),
  p2pProtocol: choiceOption({
    name: 'p2p-protocol',
    group: NETWORK,
    fallback: 'libp2p',
    choices: ['libp2p', 'devp2p', 'both'],
    description:
      'How nodes connect: libp2p among nodes of this software, devp2p with Besu and GoQuorum, both while a network moves to libp2p',
  }),
  p2pLibp2pPort: integerOption({
    name: 'p2p-libp2p-port',
    group: NETWORK,
    fallback: undefined,
    min: 0,
    max: 65_535,
    placeholder: '<PORT>',
    shownDefault: 'the one after --p2p-port',
    description: 'TCP port of libp2p with --p2p-protocol=both; 0 takes a free one',
  }),
  p2pHost: customOption({
    name: 'p2p-host',
    group: NETWORK,
    fallback: '127.0.0.1',
    placeholder: '<HOST>',
    parse: parseAdvertisedHost,
    description: 'Address or host name that other nodes dial',
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
    fallback: P2P_PORT,
    min: 0,
    max: 65_535,
    placeholder: '<PORT>',
    description: 'TCP port to listen on for other nodes; 0 for a free one',
  }),
  bootnodes: listOption({
    name: 'bootnodes',
    group: NETWORK,
    fallback: [] as readonly string[],
    shownDefault: 'none',
    check: checkEnodes,
    description: 'enode URLs of the first nodes to dial; host names are resolved at each dial',
  }),
  staticNodesFile: pathOption({
    name: 'static-nodes-file',
    group: NETWORK,
    fallback: undefined,
    shownDefault: '<data-path>/static-nodes.json',
    description: 'JSON array of enode URLs of nodes that are always redialed',
  }),
  discoveryEnabled: booleanOption({
    name: 'discovery-enabled',
    group: NETWORK,
    fallback: true,
    description: 'Discover more nodes through connected peers',
  }),
  maxPeers: integerOption({
    name: 'max-peers',
    aliases: ['p2p-peer-upper-bound'],
    group: NETWORK,
    fallback: 25,
    min: 0,
    max: 1_000,
    description: 'Maximum connected peers, without static nodes',
  }),
  remoteConnectionsLimitEnabled: booleanOption({
    name: 'remote-connections-limit-enabled',
    group: NETWORK,
    fallback: true,
    description: 'Keep room for peers that this node dials itself',
  }),
  remoteConnectionsMaxPercentage: integerOption({
    name: 'remote-connections-max-percentage',
    group: NETWORK,
    fallback: 60,
    min: 0,
    max: 100,
    placeholder: '<PERCENT>',
    description: 'Maximum share of peers that dialed this node, without static nodes and validators',
  }),
  bannedNodeIds: listOption({
    name: 'banned-node-ids',
    aliases: ['banned-node-id'],
    group: NETWORK,
    fallback: [] as readonly string[],
    shownDefault: 'none',
    placeholder: '<IDS>',
    check: checkNodeIds,
    description: 'Node ids, 64 bytes in hex, that are never connected',
  }),
  netRestrict: listOption({
    name: 'net-restrict',
    group: NETWORK,
    fallback: [] as readonly string[],
    shownDefault: 'none',
    placeholder: '<NETWORKS>',
    check: checkNetworks,
    description: 'Networks such as 10.0.0.0/8: nodes with addresses outside of them are never connected',
  }),
  syncMode: choiceOption({
    name: 'sync-mode',
    group: NETWORK,
    fallback: 'FULL',
    choices: ['FULL', 'SNAP', 'FAST', 'CHECKPOINT', 'X_SNAP', 'X_CHECKPOINT'],
    description:
      'FULL executes every block. With any other mode blocks come with their state from peers that offer it: verified by seals and roots, not executed but for the last ones',
  }),
  syncMinPeers: integerOption({
    name: 'sync-min-peers',
    aliases: ['fast-sync-min-peers'],
    group: NETWORK,
    fallback: 1,
    min: 1,
    max: 1_000,
    description: 'Peers to wait for, some seconds at most, before the first sync',
  }),
} satisfies OptionTable

/** Consensus. */
export const CONSENSUS_OPTIONS = {
  qbftMaxRequestTimeout: integerOption({
    name: 'qbft-max-request-timeout',
    group: CONSENSUS,
    fallback: 60,
    min: 1,
    max: 86_400,
    placeholder: '<SECONDS>',
    description: 'Maximum round timeout, however many rounds have failed; at least that of the genesis file',
  }),
  qbftEarlyRoundChange: booleanOption({
    name: 'Xqbft-enable-early-round-change',
    group: CONSENSUS,
    fallback: true,
    description: 'Change to a later round as soon as more validators than can be faulty ask for it',
  }),
  bftLegacyProtocolEncoding: booleanOption({
    name: 'Xbft-legacy-protocol-encoding',
    group: CONSENSUS,
    fallback: false,
    description: 'Encode messages as Besu before 26.1; both encodings are always decoded',
  }),
} satisfies OptionTable
