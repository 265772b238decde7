import type { Chain } from '../../core/chain/chain.ts'
import type { QbftConsensus } from '../../core/genesis/qbftSchedule.ts'
import type { PoolHead, TransactionPool } from '../../core/txpool/pool.ts'
import type { MinerSettings, StandingVotes } from '../../handlers/rpc/context.ts'
import { forksOf } from '../../p2p/devp2p/eth/forks.ts'
import type { Network } from '../../p2p/network.ts'
import type { NodeOptions } from '../cli/nodeOptions.ts'
import type { Progress } from '../cli/terminal/progress.ts'
import type { RunningConsensus } from '../consensus/consensus.ts'
import type { ConsensusOptions } from '../consensus/driverState.ts'
import type { ConsensusObserver } from '../consensus/reports/observer.ts'
import type { Permissions } from '../permissions/openPermissions.ts'
import type { PeerMemory } from '../doctor/peerMemory.ts'
import type { Miner } from './development/miner.ts'
import type { PeerObserver } from '../metrics/peerMetrics.ts'
import type { ValidatorFiles } from '../consensus/record/validatorFiles.ts'
import { createConsensusSigner } from '../signing/consensusSigner.ts'
import { logOf } from '../logging/log.ts'
import { logBlock } from '../logging/logBlock.ts'
import { createYield } from '../scheduler.ts'
import type { Sync } from '../../p2p/sync/sync.ts'
import type { NetworkThreadOptions } from '../threads/network/startNetworkThread.ts'
import { clientVersion } from '../version.ts'
import type { LearnedNodes } from './learnedNodes.ts'
import type { RunningNode } from './runningNode.ts'
import type { PoolFollower } from './pool/poolFollower.ts'

export type ConsensusServiceOptions = {
  readonly node: RunningNode
  readonly options: NodeOptions
  /** Settings, read before each block. */
  readonly minerSettings: () => MinerSettings
  /** Makes the blocks of a development chain; undefined on any other chain. */
  readonly developmentMiner: Miner | undefined
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
  readonly permissions: Pick<Permissions, 'permittedNodes' | 'connectionCounters'>
  /** Measures consensus; undefined when metrics are off. */
  readonly observer?: ConsensusObserver | undefined
  /** Traces what consensus does with the chain; undefined when traces are off. */
  readonly traceChain?: ((chain: Chain) => Chain) | undefined
  /** Remembers where peers were and why they are not connected. */
  readonly memory: PeerMemory
  /** Counts connections; undefined when metrics are off. */
  readonly peerObserver?: PeerObserver | undefined
  /** Draws a progress bar during the sync; undefined without a terminal. */
  readonly showProgress: (() => Progress) | undefined
}

// Parts are imported when they start: JSON-RPC answers earlier, and a node without peers loads no network code.

export const startSync = async (from: ConsensusServiceOptions): Promise<Sync> => {
  const { node, options, pool, poolHead, networkId, showProgress } = from
  const { startSync: start } = await import('../../p2p/sync/startSync.ts')
  const log = logOf('sync')
  return start({
    chain: node.chain,
    pool,
    poolHead,
    recoverSenders: node.recoverSenders,
    recoverBlocks: node.recoverBlocks,
    importRecord: options.syncMode === 'FULL' ? undefined : node.importRecord,
    log,
    nowMs: () => Date.now(),
    createYield: createYield,
    logImported: ({ header, transactions }, hash) =>
      logBlock(log, 'Imported', header, transactions.length, pool.size, hash),
    networkId,
    syncMinPeers: options.syncMinPeers,
    client: clientVersion(options.identity),
    configuration: node.genesisEntries,
    statement: node.statement,
    showProgress,
  })
}

export const startConsensus = async (
  from: ConsensusServiceOptions,
  consensus: QbftConsensus,
  {
    sync,
    record,
    keyInUse,
  }: Pick<ConsensusOptions, 'record' | 'keyInUse'> & { readonly sync: Sync | undefined },
): Promise<RunningConsensus> => {
  const { node, options, minerSettings, pool, poolHead, votes, files, refusal, follower, observer } = from
  const { messaging, parameters } = consensus
  const { startConsensus: start } = await import('../consensus/driver.ts')
  return start({
    chain: from.traceChain?.(node.chain) ?? node.chain,
    consensus,
    pool,
    poolHead,
    key: node.key,
    signer: createConsensusSigner(node.signer),
    standingVotes: votes.list,
    settings: minerSettings,
    selectionPercent: options.poaBlockTxsSelectionMaxTime,
    log: logOf('validator'),
    files,
    record,
    environment: {
      dialect: options.bftLegacyProtocolEncoding ? 'legacy' : 'blockAccessList',
      // GoQuorum reads the legacy encoding only.
      proposesRoundZero:
        options.bftLegacyProtocolEncoding && node.chain.configuration.goQuorumForkBlocks !== undefined,
      knownTransaction: hash => pool.get(hash)?.transaction,
      requestTimeoutMs: parameters.requestTimeoutSeconds * 1000,
      requestTimeoutMaxMs: options.qbftMaxRequestTimeout * 1000,
      earlyRoundChange: options.qbftEarlyRoundChange,
      duplicateMessagesMax: messaging.duplicateMessageLimit,
      futureMessagesMax: messaging.futureMessagesLimit,
      futureDistanceMax: messaging.futureMessagesMaxDistance,
    },
    refusal,
    keyInUse,
    messageQueueMax: messaging.messageQueueLimit,
    poolSettled: follower.settled,
    observer,
    sync,
  })
}

export const startNetwork = async (
  { node, options, permissions, staticNodes = [] }: ConsensusServiceOptions,
  learned: LearnedNodes | undefined,
  handlers: NetworkThreadOptions['handlers'],
  validators: NetworkThreadOptions['validators'],
): Promise<Network> => {
  const { startNetworkWorker } = await import('../threads/network/startNetworkWorker.ts')
  const { configuration, genesis } = node.chain
  return startNetworkWorker({
    transport: options.p2pProtocol,
    libp2pPort: options.p2pLibp2pPort ?? (options.p2pPort === 0 ? 0 : options.p2pPort + 1),
    chain: {
      consensus: { kind: configuration.consensus.kind },
      genesisDifficulty: genesis.totalDifficulty,
      forks: forksOf(configuration, genesis.header.timestamp),
    },
    privateKey: node.connectionKey.privateKey,
    host: options.p2pInterface,
    port: options.p2pPort,
    ipv6:
      options.p2pHostIpv6 === undefined
        ? undefined
        : { host: options.p2pInterfaceIpv6, port: options.p2pPortIpv6 },
    advertisedHost: options.p2pHost,
    bootnodes: options.bootnodes,
    staticNodes,
    discovery: options.discoveryEnabled,
    learnedNodes: learned?.list() ?? [],
    maxPeers: options.maxPeers,
    inboundPeersMax: options.remoteConnectionsLimitEnabled
      ? Math.max(1, Math.floor((options.maxPeers * options.remoteConnectionsMaxPercentage) / 100))
      : undefined,
    refusedNodes: { ids: options.bannedNodeIds, networks: options.netRestrict },
    handlers,
    validators,
    permittedNodes: permissions.permittedNodes,
    bootnodesFirst: permissions.permittedNodes() !== undefined,
    counters: permissions.connectionCounters,
    log: logOf('p2p'),
  })
}
