import type { QbftConsensus } from '../../core/genesis/schedule.ts'
import { overdueSeconds } from '../../core/chain/overdueBlock.ts'
import { includesAddress } from '../../core/validators/votes.ts'
import type { PoolHead, TransactionPool } from '../../core/txpool/pool.ts'
import type { MinerSettings, NodeTroubles } from '../../handlers/rpc/context.ts'
import { NetworkError } from '../../p2p/error.ts'
import type { Network } from '../../p2p/network.ts'
import type { NodeOptions } from '../cli/nodeOptions.ts'
import type { Progress } from '../cli/progress.ts'
import type { Consensus } from '../consensus/consensus.ts'
import { openRecord } from '../consensus/openRecord.ts'
import type { RecordPlace } from '../consensus/recordFile.ts'
import type { StandingVotes } from '../consensus/standingVotes.ts'
import type { Exchange } from '../sync/exchange.ts'
import { logOf } from '../logging/log.ts'
import type { NetworkThreadOptions as BesideOptions } from '../threads/network/startNetworkThread.ts'
import { clientVersion } from '../version.ts'
import { endAll } from './closeAll.ts'
import { type LearnedNodes, openLearnedNodes } from './learnedNodes.ts'
import type { RunningNode } from './openNode.ts'
import type { PoolFollower } from './poolFollower.ts'

export type ParticipationOptions = {
  readonly node: RunningNode
  readonly options: NodeOptions
  /** How blocks are made, asked before each. */
  readonly minerSettings: () => MinerSettings
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
  /** Resolves once the network listens. Rejects with NetworkError when the node stops before. */
  readonly networkStarted: Promise<Network>
  readonly exchange: () => Exchange | undefined
  /** In which round the next block is being decided; undefined while this node takes no part in it. */
  readonly round: () => number | undefined
  /** What keeps it from making blocks. */
  readonly troubles: () => NodeTroubles
  /** False while it is told not to take part in making blocks. */
  readonly runs: () => boolean
  /** Takes part in making blocks again; false on a chain where nobody does, and before `start`. */
  readonly resume: () => Promise<boolean>
  /** Takes no part any more, a block under way being finished; false where it took none. */
  readonly pause: () => Promise<boolean>
  /** Starts them one after the other. @throws NetworkError and others with a `code` */
  start(): Promise<void>
  /** A block under way is finished. */
  stop(): Promise<void>
}

/** What the network tells of goes to the exchange, and of consensus messages and arriving peers to the consensus. */
const handlersOf = (
  exchange: Exchange,
  learned: LearnedNodes | undefined,
  consensus: () => Consensus | undefined,
): BesideOptions['handlers'] => ({
  ...exchange.handlers,
  onPeer: peer => {
    exchange.handlers.onPeer(peer)
    learned?.add(peer.enode)
    consensus()?.peerConnected(peer)
  },
  onConsensusMessage: (peer, code, data) => consensus()?.message(peer, code, data),
})

/** What a node that only follows says of a network that makes no blocks; undefined while the next one may still come. */
const overdueBlock = (
  { node: { chain }, pool }: ParticipationOptions,
  startedAtMs: number,
): string | undefined => {
  const { consensus } = chain.configuration
  if (consensus.kind !== 'qbft') return undefined
  const { header } = chain.head()
  const seconds = overdueSeconds(consensus, header, {
    sinceMs: startedAtMs,
    nowMs: Date.now(),
    isEmpty: pool.size === 0,
  })
  if (seconds === undefined) return undefined
  return `No block has come for ${seconds} s after block ${header.number}: a quorum of validators must run and be connected`
}

// Each part is loaded when it is started: JSON-RPC answers before, and a node without peers loads no network.

const startExchange = async (from: ParticipationOptions): Promise<Exchange> => {
  const { node, options, pool, poolHead, networkId, showProgress } = from
  const { startExchange: start } = await import('../sync/startExchange.ts')
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
    configuration: node.genesisEntries,
    showProgress,
  })
}

const startConsensus = async (
  { node, options, minerSettings, pool, poolHead, votes, refusal, follower }: ParticipationOptions,
  consensus: QbftConsensus,
  exchange: Exchange | undefined,
  record: RecordPlace,
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
    settings: minerSettings,
    selectionPercent: options.poaBlockTxsSelectionMaxTime,
    log: logOf('validator'),
    storage: node.storage,
    record,
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
  learned: LearnedNodes | undefined,
  handlers: BesideOptions['handlers'],
  validators: BesideOptions['validators'],
): Promise<Network> => {
  const { startNetworkWorker } = await import('../threads/network/startNetworkWorker.ts')
  return startNetworkWorker({
    privateKey: node.key.privateKey,
    host: options.p2pInterface,
    port: options.p2pPort,
    advertisedHost: options.p2pHost,
    bootnodes: options.bootnodes,
    staticNodes,
    discovery: options.discoveryEnabled,
    learnedNodes: learned?.list() ?? [],
    maxPeers: options.maxPeers,
    handlers,
    validators,
    log: logOf('p2p'),
  })
}

/** Consensus, and where the node connects with others what it tells them and hears from them. */
export const createParticipation = (from: ParticipationOptions): Participation => {
  let exchange: Exchange | undefined
  let consensus: Consensus | undefined
  let record: RecordPlace | undefined
  let network: Network | undefined
  const startedAtMs = Date.now()
  const listening = Promise.withResolvers<Network>()
  // Nobody may be waiting for it.
  listening.promise.catch(() => undefined)
  let learned: LearnedNodes | undefined
  let runs = false
  /** Starts and stops wait for each other. */
  let turn: Promise<unknown> = Promise.resolve()
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const next = turn.then(work)
    // Whoever asked for it is told; the next one begins all the same.
    turn = next.catch(() => undefined)
    return next
  }
  const beginConsensus = async (): Promise<boolean> => {
    const { consensus: kind } = from.node.chain.configuration
    if (kind.kind !== 'qbft') return false
    const { key, chain, storage } = from.node
    const owner = { address: key.address, genesisHash: chain.genesis.hash }
    record ??= await openRecord(from.options.dataPath, owner, storage, logOf('validator'))
    consensus ??= await startConsensus(from, kind, exchange, record)
    return true
  }
  const endConsensus = async (): Promise<boolean> => {
    if (consensus === undefined) return false
    // It needs what the others send until its block is finished.
    await consensus.stop()
    consensus = undefined
    await record?.close()
    record = undefined
    return true
  }
  return {
    network: () => network,
    networkStarted: listening.promise,
    exchange: () => exchange,
    round: () => consensus?.round(),
    troubles: () => {
      const said = (sentence: string | undefined) => (sentence === undefined ? [] : [sentence])
      const { store } = from.node.chain
      return {
        failures: [...said(store.failure()?.message), ...said(consensus?.failure())],
        stalls: said(consensus?.stall() ?? overdueBlock(from, startedAtMs)),
      }
    },
    runs: () => consensus !== undefined,
    resume: () =>
      inTurn(async () => {
        if (!runs) return false
        const isNew = consensus === undefined
        const begun = await beginConsensus()
        if (isNew && network !== undefined) consensus?.attach(network)
        return begun
      }),
    pause: () => inTurn(endConsensus),
    start: () =>
      inTurn(async () => {
        if (from.staticNodes !== undefined) exchange = await startExchange(from)
        await beginConsensus()
        runs = true
        if (exchange === undefined) return
        const { node, options } = from
        const validators = () => consensus?.validators()
        if (options.discoveryEnabled)
          learned = await openLearnedNodes(node.storage, logOf('p2p'), address =>
            includesAddress(validators() ?? [], address),
          )
        network = await startNetwork(
          from,
          learned,
          handlersOf(exchange, learned, () => consensus),
          validators,
        )
        exchange.attach(network)
        consensus?.attach(network)
        listening.resolve(network)
      }),
    stop: () =>
      inTurn(async () => {
        runs = false
        listening.reject(new NetworkError('NOT_CONNECTED', 'this node stops'))
        // Consensus first: it finishes its block with the others.
        await endAll([endConsensus, () => network?.stop(), () => exchange?.stop(), () => learned?.settled()])
      }),
  }
}
