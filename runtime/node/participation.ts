import { fromHex } from '../../core/bytes/hex.ts'
import { consensusEntries } from '../../core/genesis/consensusEntries.ts'
import type { QbftConsensus } from '../../core/genesis/schedule.ts'
import type { PoolHead, TransactionPool } from '../../core/txpool/pool.ts'
import type { Network, NetworkHandlers } from '../../p2p/network.ts'
import type { NodeOptions } from '../cli/nodeOptions.ts'
import type { Progress } from '../cli/progress.ts'
import type { Consensus } from '../consensus/consensus.ts'
import type { StandingVotes } from '../consensus/standingVotes.ts'
import type { Exchange } from '../exchange/exchange.ts'
import { logOf } from '../logging/log.ts'
import { clientVersion, NAME, VERSION } from '../version.ts'
import type { RunningNode } from './openNode.ts'
import type { PoolFollower } from './poolFollower.ts'

export type ParticipationOptions = {
  readonly node: RunningNode
  readonly options: NodeOptions
  readonly pool: TransactionPool
  /** What the pool judges by, for the block after the current head. */
  readonly poolHead: () => PoolHead
  readonly follower: PoolFollower
  readonly votes: StandingVotes
  /** Why this node must not sign although it were a validator; undefined when it may. */
  readonly refusal: string | undefined
  /** What net_version answers. */
  readonly networkId: bigint
  /** enode URLs to stay connected with; undefined when this node connects to no others. */
  readonly staticNodes: readonly string[] | undefined
  /** Draws a bar while the node catches up; undefined where nobody looks. */
  readonly showProgress: (() => Progress) | undefined
}

/** What makes a node one of many. Each part is there from when it runs. */
export type Participation = {
  readonly network: () => Network | undefined
  readonly exchange: () => Exchange | undefined
  /** In which round the next block is being decided; undefined while this node takes no part in it. */
  readonly round: () => number | undefined
  /** Starts them one after the other. @throws NetworkError and others with a `code` */
  start(): Promise<void>
  /** A block under way is finished. */
  stop(): Promise<void>
}

const vanityOf = ({ minerExtraData }: NodeOptions): Uint8Array =>
  minerExtraData === undefined ? new TextEncoder().encode(`${NAME} ${VERSION}`) : fromHex(minerExtraData)

/** What the network tells of goes to the exchange, and of consensus messages and arriving peers to the consensus. */
const handlersOf = (exchange: Exchange, consensus: Consensus | undefined): NetworkHandlers => ({
  ...exchange.handlers,
  onPeer: peer => {
    exchange.handlers.onPeer(peer)
    consensus?.peerConnected(peer)
  },
  onConsensusMessage: (peer, code, data) => consensus?.message(peer, code, data),
})

// Each part is loaded when it is started: JSON-RPC answers before, and a node without peers loads no network.

const startExchange = async (from: ParticipationOptions): Promise<Exchange> => {
  const { node, options, pool, poolHead, networkId, showProgress } = from
  const { startExchange: start } = await import('../exchange/startExchange.ts')
  return start({
    chain: node.chain,
    pool,
    poolHead,
    recoverSenders: node.recoverSenders,
    recoverSeals: node.recoverSeals,
    log: logOf('sync'),
    nowMs: () => Date.now(),
    networkId,
    syncMinPeers: options.syncMinPeers,
    client: clientVersion(options.identity),
    configuration: consensusEntries(node.genesis),
    showProgress,
  })
}

const startConsensus = async (
  { node, options, pool, poolHead, votes, refusal, follower }: ParticipationOptions,
  consensus: QbftConsensus,
  exchange: Exchange | undefined,
): Promise<Consensus> => {
  const { messaging, parameters } = consensus
  const { startConsensus: start } = await import('../consensus/driver.ts')
  return start({
    chain: node.chain,
    consensus,
    pool,
    poolHead,
    key: node.key,
    standingVotes: votes.list,
    vanity: vanityOf(options),
    minGasPrice: options.minGasPrice,
    targetGasLimit: options.targetGasLimit,
    selectionPercent: options.poaBlockTxsSelectionMaxTime,
    log: logOf('validator'),
    storage: node.storage,
    environment: {
      dialect: options.bftLegacyProtocolEncoding ? 'legacy' : 'blockAccessList',
      requestTimeoutMs: parameters.requestTimeoutSeconds * 1000,
      requestTimeoutMaxMs: options.qbftMaxRequestTimeout * 1000,
      earlyRoundChange: options.qbftEarlyRoundChange,
      duplicateMessagesMax: messaging.duplicateMessageLimit,
      futureMessagesMax: messaging.futureMessagesLimit,
      futureDistanceMax: messaging.futureMessagesMaxDistance,
    },
    refusal,
    messageQueueMax: messaging.messageQueueLimit,
    poolSettled: follower.settled,
    exchange,
  })
}

const startNetwork = async (
  { node, options, staticNodes = [] }: ParticipationOptions,
  handlers: NetworkHandlers,
): Promise<Network> => {
  const { startNetwork: start } = await import('../../p2p/startNetwork.ts')
  return start({
    privateKey: node.key.privateKey,
    host: options.p2pInterface,
    port: options.p2pPort,
    advertisedHost: options.p2pHost,
    bootnodes: options.bootnodes,
    staticNodes,
    discovery: options.discoveryEnabled,
    maxPeers: options.maxPeers,
    refuses: () => undefined,
    handlers,
    log: logOf('p2p'),
    nowMs: () => Date.now(),
  })
}

/** Consensus, and where the node connects with others what it tells them and hears from them. */
export const createParticipation = (from: ParticipationOptions): Participation => {
  let exchange: Exchange | undefined
  let consensus: Consensus | undefined
  let network: Network | undefined
  return {
    network: () => network,
    exchange: () => exchange,
    round: () => consensus?.round(),
    start: async () => {
      const { consensus: kind } = from.node.chain.configuration
      if (from.staticNodes !== undefined) exchange = await startExchange(from)
      if (kind.kind === 'qbft') consensus = await startConsensus(from, kind, exchange)
      if (exchange === undefined) return
      network = await startNetwork(from, handlersOf(exchange, consensus))
      exchange.attach(network)
      consensus?.attach(network)
    },
    stop: async () => {
      // Consensus first: it finishes its block with the others.
      await consensus?.stop()
      await network?.stop()
      await exchange?.stop()
    },
  }
}
