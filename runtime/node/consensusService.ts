import type { QbftConsensus } from '../../core/genesis/schedule.ts'
import { overdueSeconds } from '../../core/chain/execution/overdueBlock.ts'
import { includesAddress } from '../../core/validators/votes.ts'
import type { PoolHead, TransactionPool } from '../../core/txpool/pool.ts'
import type { MinerSettings, NodeTroubles } from '../../handlers/rpc/context.ts'
import { NetworkError } from '../../p2p/error.ts'
import type { Network } from '../../p2p/network.ts'
import { forksOf } from '../../p2p/devp2p/eth/forks.ts'
import type { NodeOptions } from '../cli/nodeOptions.ts'
import type { Progress } from '../cli/progress.ts'
import type { Consensus } from '../consensus/consensus.ts'
import { openRecord } from '../consensus/record/openRecord.ts'
import type { RecordPlace } from '../consensus/record/recordFile.ts'
import type { StandingVotes } from '../consensus/standingVotes.ts'
import type { ValidatorFiles } from '../consensus/record/validatorFiles.ts'
import type { Sync } from '../../p2p/sync/sync.ts'
import { logOf } from '../logging/log.ts'
import { logBlock } from '../logging/logBlock.ts'
import { createSlice } from '../schedule.ts'
import type { NetworkThreadOptions } from '../threads/network/startNetworkThread.ts'
import { clientVersion } from '../version.ts'
import { closeAll } from './closeAll.ts'
import { type LearnedNodes, openLearnedNodes } from './learnedNodes.ts'
import type { RunningNode } from './openNode.ts'
import type { PoolFollower } from './pool/poolFollower.ts'

export type ConsensusServiceOptions = {
  readonly node: RunningNode
  readonly options: NodeOptions
  /** Settings, read before each block. */
  readonly minerSettings: () => MinerSettings
  readonly pool: TransactionPool
  /** The pool's rules for the block after the current head. */
  readonly poolHead: () => PoolHead
  readonly follower: PoolFollower
  readonly votes: StandingVotes
  /** Keeps evidence. */
  readonly files: ValidatorFiles
  /** Why this node must not sign even as a validator; undefined if it may. */
  readonly refusal: string | undefined
  /** The answer of net_version. */
  readonly networkId: bigint
  /** enode URLs of static nodes; undefined without a network. */
  readonly staticNodes: readonly string[] | undefined
  /** Draws a progress bar during the sync; undefined without a terminal. */
  readonly showProgress: (() => Progress) | undefined
}

/** Consensus, sync and network of a node. Each part is undefined until it has started. */
export type ConsensusService = {
  readonly network: () => Network | undefined
  /** Resolves once the network listens. Rejects with NetworkError if the node stops first. */
  readonly networkStarted: Promise<Network>
  readonly sync: () => Sync | undefined
  /** The current round of the next block; undefined while this node takes no part in consensus. */
  readonly round: () => number | undefined
  /** Reasons why this node makes no blocks. */
  readonly troubles: () => NodeTroubles
  /** Whether consensus runs; false while paused. */
  readonly runs: () => boolean
  /** Resumes consensus; false on a chain without QBFT, and before `start`. */
  readonly resume: () => Promise<boolean>
  /** Pauses consensus after the block in progress; false if it was not running. */
  readonly pause: () => Promise<boolean>
  /** Starts all parts in order. @throws NetworkError and other errors with a `code` */
  start(): Promise<void>
  /** Stops all parts after the block in progress. */
  stop(): Promise<void>
}

/** Network events: all but consensus messages go to the sync; consensus also learns of new peers. */
const networkHandlers = (
  sync: Sync,
  learned: LearnedNodes | undefined,
  consensus: () => Consensus | undefined,
): NetworkThreadOptions['handlers'] => ({
  ...sync.handlers,
  onPeer: peer => {
    sync.handlers.onPeer(peer)
    learned?.add(peer.enode)
    consensus()?.peerConnected(peer)
  },
  onConsensusMessage: (peer, code, data) => consensus()?.message(peer, code, data),
})

/** The warning of a following node when no block has arrived for too long; undefined while the next one is not overdue. */
const overdueBlock = (
  { node: { chain }, pool }: ConsensusServiceOptions,
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

// Parts are imported when they start: JSON-RPC answers earlier, and a node without peers loads no network code.

const startSync = async (from: ConsensusServiceOptions): Promise<Sync> => {
  const { node, options, pool, poolHead, networkId, showProgress } = from
  const { startSync: start } = await import('../../p2p/sync/startSync.ts')
  const log = logOf('sync')
  return start({
    chain: node.chain,
    pool,
    poolHead,
    recoverSenders: node.recoverSenders,
    recoverSeals: node.recoverSeals,
    log,
    nowMs: () => Date.now(),
    createYield: createSlice,
    logImported: ({ header, transactions }, hash) =>
      logBlock(log, 'Imported', header, transactions.length, pool.size, hash),
    networkId,
    syncMinPeers: options.syncMinPeers,
    client: clientVersion(options.identity),
    configuration: node.genesisEntries,
    showProgress,
  })
}

const startConsensus = async (
  { node, options, minerSettings, pool, poolHead, votes, files, refusal, follower }: ConsensusServiceOptions,
  consensus: QbftConsensus,
  sync: Sync | undefined,
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
    files,
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
    sync,
  })
}

const startNetwork = async (
  { node, options, staticNodes = [] }: ConsensusServiceOptions,
  learned: LearnedNodes | undefined,
  handlers: NetworkThreadOptions['handlers'],
  validators: NetworkThreadOptions['validators'],
): Promise<Network> => {
  const { startNetworkWorker } = await import('../threads/network/startNetworkWorker.ts')
  const { configuration, genesis } = node.chain
  return startNetworkWorker({
    transport: options.p2pProtocol,
    chain: {
      consensus: { kind: configuration.consensus.kind },
      genesisDifficulty: genesis.totalDifficulty,
      forks: forksOf(configuration, genesis.header.timestamp),
    },
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

/** Creates the service that starts and stops consensus, sync and network. */
export const createConsensusService = (from: ConsensusServiceOptions): ConsensusService => {
  let sync: Sync | undefined
  let consensus: Consensus | undefined
  let record: RecordPlace | undefined
  let network: Network | undefined
  const startedAtMs = Date.now()
  const listening = Promise.withResolvers<Network>()
  // Avoids an unhandled rejection if nothing awaits it.
  listening.promise.catch(() => undefined)
  let learned: LearnedNodes | undefined
  let runs = false
  /** Starts and stops run one after the other. */
  let lastOperation: Promise<unknown> = Promise.resolve()
  const inSequence = <T>(work: () => Promise<T>): Promise<T> => {
    const next = lastOperation.then(work)
    // The caller gets the error; the next operation runs all the same.
    lastOperation = next.catch(() => undefined)
    return next
  }
  const openConsensus = async (): Promise<boolean> => {
    const { consensus: kind } = from.node.chain.configuration
    if (kind.kind !== 'qbft') return false
    const { key, chain, storage } = from.node
    const owner = { address: key.address, genesisHash: chain.genesis.hash }
    record ??= await openRecord(from.options.dataPath, owner, storage, logOf('validator'))
    consensus ??= await startConsensus(from, kind, sync, record)
    return true
  }
  const closeConsensus = async (): Promise<boolean> => {
    if (consensus === undefined) return false
    // Until its block is finished it needs the messages of the others.
    await consensus.stop()
    consensus = undefined
    await record?.close()
    record = undefined
    return true
  }
  return {
    network: () => network,
    networkStarted: listening.promise,
    sync: () => sync,
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
      inSequence(async () => {
        if (!runs) return false
        const isNew = consensus === undefined
        const begun = await openConsensus()
        if (isNew && network !== undefined) consensus?.attach(network)
        return begun
      }),
    pause: () => inSequence(closeConsensus),
    start: () =>
      inSequence(async () => {
        if (from.staticNodes !== undefined) sync = await startSync(from)
        await openConsensus()
        runs = true
        if (sync === undefined) return
        const { node, options } = from
        const validators = () => consensus?.validators()
        if (options.discoveryEnabled)
          learned = await openLearnedNodes(node.storage, logOf('p2p'), address =>
            includesAddress(validators() ?? [], address),
          )
        network = await startNetwork(
          from,
          learned,
          networkHandlers(sync, learned, () => consensus),
          validators,
        )
        sync.attach(network)
        consensus?.attach(network)
        listening.resolve(network)
      }),
    stop: () =>
      inSequence(async () => {
        runs = false
        listening.reject(new NetworkError('NOT_CONNECTED', 'this node stops'))
        // Consensus first: it finishes its block with the others.
        await closeAll([closeConsensus, () => network?.stop(), () => sync?.stop(), () => learned?.settled()])
      }),
  }
}
