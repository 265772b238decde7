import { resolve } from 'node:path'
import { toHex } from '../../../core/bytes/hex.ts'
import type { PoolOptions } from '../../../core/txpool/admission.ts'
import type { PoolHead, TransactionPool } from '../../../core/txpool/pool.ts'
import { createTransactionPool } from '../../../core/txpool/transactionPool.ts'
import { createProbes } from '../../../handlers/http/probes.ts'
import type { AccountIndex } from '../../../handlers/rpc/ots/accountIndex.ts'
import { createInboundLimits, type InboundLimits } from '../../../handlers/inbound/inboundLimits.ts'
import type { RpcDevelopment } from '../../../handlers/rpc/development/development.ts'
import type { RpcContext, RpcHost, StandingVotes } from '../../../handlers/rpc/context.ts'
import type { Network } from '../../../p2p/network.ts'
import type { Access } from '../../auth/open.ts'
import { CommandError } from '../../cli/errors.ts'
import type { NodeOptions } from '../../cli/nodeOptions.ts'
import type { Progress } from '../../cli/terminal/progress.ts'
import { openStandingVotes } from '../../consensus/standingVotes.ts'
import { openValidatorFiles } from '../../consensus/record/validatorFiles.ts'
import { startNodeHistory } from '../history/nodeHistory.ts'
import { openNodeIndex } from '../nodeIndex.ts'
import { writePortsFile } from '../../files/portsFile.ts'
import { changeLogLevel, logOf } from '../../logging/log.ts'
import type { ValidatorRole } from '../../consensus/validatorRole.ts'
import type { GraphqlListener } from './graphqlServer.ts'
import { serveClients } from './serveClients.ts'
import { closeAll } from '../closeAll.ts'
import { type ChangeableSettings, createMinerSettings } from '../minerSettings.ts'
import type { RunningNode } from '../runningNode.ts'
import { roleOf } from './nodeRole.ts'
import { type ConsensusService, createConsensusService } from '../consensusService.ts'
import { startPoolAging } from '../pool/poolAging.ts'
import { type PoolFollower, startPoolFollower } from '../pool/poolFollower.ts'
import { startPrefetch } from '../pool/prefetch.ts'
import { openCallWorkers } from '../callWorkers.ts'
import { type Doctor, startDoctor } from '../doctor.ts'
import { type Measured, openMetrics, publishMetrics } from '../metrics.ts'
import { openIfDevelopment } from '../development/openIfDevelopment.ts'
import { createPeerMemory, type PeerMemory } from '../../doctor/peerMemory.ts'
import { createRefusals, type Refusals } from '../../doctor/refusals.ts'
import { type Permissions, rpcPermissionsOf } from '../../permissions/openPermissions.ts'
import type { NodeMetrics } from '../../metrics/nodeMetrics.ts'
import type { OtlpSettings } from '../../metrics/otlp/settings.ts'
import { openNodeSnapshots } from '../../snapshot/nodeSnapshots.ts'
import { clientVersion } from '../../version.ts'
import type { MetricsListener } from './metricsServer.ts'
import { rpcNetworkOf } from './rpcNetwork.ts'
import type { ReplicaStatus } from '../../replicate/replication.ts'
import type { ReplicaTarget } from '../../replicate/targets.ts'
import { openRpcContext, type RpcListener } from './rpcServer.ts'
import { JOURNAL_FILE, startTransactionJournal } from '../pool/transactionJournal.ts'
import { startStoreWatch } from '../storeWatch.ts'
import { createPoolHead, createSubmission, type Submission } from '../pool/submit.ts'
import type { WsListener } from './wsServer.ts'
import { reportRefusedUnits } from './unitReport.ts'

const MS_PER_HOUR = 3_600_000

/** The ports that serve clients; undefined for a service that is off. */
export type Listeners = {
  readonly http: RpcListener | undefined
  readonly ws: WsListener | undefined
  readonly graphql: GraphqlListener | undefined
  readonly metrics: MetricsListener | undefined
}

export type ServiceOptions = {
  readonly options: NodeOptions
  readonly poolOptions: PoolOptions
  readonly listeners: Listeners
  readonly access: Access
  readonly development: boolean
  readonly permissions: Permissions
  /** enode URLs of static nodes; undefined without a network. */
  readonly staticNodes: readonly string[] | undefined
  /** Stores that get a copy of each block. */
  readonly replicaTargets: readonly ReplicaTarget[]
  /** Settings of the OpenTelemetry export; undefined for another protocol. */
  readonly otlp: OtlpSettings | undefined
  /** Draws a progress bar during the sync; undefined without a terminal. */
  readonly showProgress: (() => Progress) | undefined
}

/** The services that run on an open chain. */
export type Services = {
  /** The role of this node in the block after the head at the start. */
  readonly role: ValidatorRole
  /** Undefined without a network. */
  readonly network: Pick<Network, 'enode' | 'port'> | undefined
  /** Stops them in the opposite order of the start, after the block in progress. */
  stop(): Promise<void>
}

/** The address of each service that runs. */
const servicesOf = (
  options: NodeOptions,
  { http, ws, graphql, metrics }: Listeners,
  network: Network | undefined,
): ReturnType<NonNullable<RpcHost['services']>> => {
  const at = ({ hostname, port }: { readonly hostname: string; readonly port: number }) => ({
    host: hostname,
    port,
  })
  return {
    ...(http === undefined ? {} : { jsonrpc: at(http) }),
    ...(ws === undefined ? {} : { ws: at(ws) }),
    ...(graphql === undefined ? {} : { graphQL: at(graphql) }),
    ...(metrics === undefined ? {} : { metrics: at(metrics) }),
    ...(network === undefined ? {} : { p2p: { host: options.p2pHost, port: network.port } }),
  }
}

/**
 * Why this node must not be a validator: one that loses a block it sealed, or its record of signatures, may seal another in
 * its place.
 */
const refusalOf = ({ storage }: RunningNode, options: NodeOptions): string | undefined => {
  if (storage.durability === 'synced' || options.storageUnsafe || options.genesisFile === undefined)
    return undefined
  const loss = storage.durability === 'none' ? 'when the process ends' : 'when the machine loses power'
  return `A validator must not lose blocks it has sealed, and --storage=${options.storage} may lose them ${loss}: use --storage=sqlite, or accept that with --storage-unsafe`
}

/** The services of a node while they start; each adds what stops it. */
type Starting = ServiceOptions &
  Submission & {
    readonly node: RunningNode
    readonly refusal: string | undefined
    readonly pool: TransactionPool
    readonly poolHead: () => PoolHead
    readonly memory: PeerMemory
    readonly refusals: Refusals
    readonly inbound: InboundLimits
    readonly measured: Measured
    readonly miner: ChangeableSettings
    readonly networkId: bigint
    /** In the order of the start. */
    readonly stops: (() => Promise<void> | void)[]
  }

/** @throws CommandError for a validator that must not sign */
const prepare = async (
  node: RunningNode,
  given: ServiceOptions,
): Promise<Starting & { role: ValidatorRole }> => {
  const { options, poolOptions, staticNodes } = given
  const { chain } = node
  const role = await roleOf(node, staticNodes !== undefined)
  const refusal = refusalOf(node, options)
  if (role.makesBlocks && refusal !== undefined) throw new CommandError('START_FAILED', refusal)
  const pool = createTransactionPool(poolOptions)
  given.permissions.attach(chain)
  node.lookUpSenders(hash => pool.get(hash)?.sender)
  const miner = createMinerSettings(options)
  const poolHead = createPoolHead(chain, miner.settings)
  const refusals = createRefusals(Date.now)
  return {
    ...given,
    node,
    role,
    refusal,
    pool,
    poolHead,
    ...createSubmission(chain, pool, poolHead, refusals),
    memory: createPeerMemory([...options.bootnodes, ...(staticNodes ?? [])]),
    refusals,
    inbound: createInboundLimits(),
    measured: { service: undefined, doctor: undefined, webSockets: () => 0 },
    miner,
    networkId: options.networkId ?? chain.configuration.chainId,
    stops: [reportRefusedUnits(logOf('rpc'), () => performance.now())],
  }
}

type ReplicaStatuses = () => readonly Omit<ReplicaStatus, 'height'>[]

/** Starts what follows the chain: the store watcher and the replications. */
const startChainWatchers = async (starting: Starting): Promise<ReplicaStatuses> => {
  const { chain } = starting.node
  const { replicaTargets, stops } = starting
  stops.push(startStoreWatch(chain.store, logOf('chain')).stop)
  if (replicaTargets.length === 0) return () => []
  const { replicatedChain } = await import('../../replicate/replication.ts')
  const { startReplicationThread } = await import('../../threads/replication/thread.ts')
  const { status, stop } = startReplicationThread({
    chain: replicatedChain(chain),
    targets: replicaTargets,
    log: logOf('replica'),
  })
  stops.push(stop)
  return () => status().map(({ target, blocks, seconds, reason }) => ({ target, blocks, seconds, reason }))
}

/** Starts the parts that update the pool after each block. */
const startPool = async (starting: Starting): Promise<PoolFollower> => {
  const { node, options, pool, poolHead, submit, submissions, stops } = starting
  const { chain, recoverSenders, storage } = node
  const log = logOf('pool')
  const follower = startPoolFollower({ chain, pool, poolHead, log })
  stops.push(follower.stop)
  const retentionMs = options.txPoolRetentionHours * MS_PER_HOUR
  stops.push(startPoolAging({ pool, retentionMs, nowMs: () => Date.now(), log }))
  if (storage.durability !== 'none' && options.txPoolEnableSaveRestore) {
    const path = resolve(options.dataPath, options.txPoolSaveFile ?? JOURNAL_FILE)
    stops.push(
      (await startTransactionJournal({ path, pool, submit, submissions, recoverSenders, log })).close,
    )
  }
  stops.push(startPrefetch({ pool, store: chain.store, log }))
  return follower
}

/** Transactions of an account that was removed leave the pool. */
const dropUnpermitted = ({ permissions, pool, stops }: Starting): void => {
  permissions.onAccountsChanged(() => {
    for (const { sender, transaction } of pool.list())
      if (permissions.accounts?.has(toHex(sender)) === false) pool.remove(transaction.hash)
  })
  stops.push(permissions.stop)
}

const createConsensus = async (
  starting: Starting,
  follower: PoolFollower,
  metrics: NodeMetrics | undefined,
) => {
  const { node, options, pool, poolHead, refusal, networkId, staticNodes, showProgress, miner } = starting
  const owner = { address: node.key.address, genesisHash: node.chain.genesis.hash }
  const files = await openValidatorFiles(options.dataPath, owner, node.storage, logOf('validator'))
  const votes = await openStandingVotes(files, logOf('validator'))
  const development = await openIfDevelopment({
    node,
    options,
    pool,
    poolHead,
    submit: starting.submit,
    follower,
    votes,
    settings: miner,
    isFollowed: staticNodes !== undefined || starting.replicaTargets.length > 0,
  })
  const service = createConsensusService({
    node,
    options,
    minerSettings: miner.settings,
    developmentMiner: development?.miner,
    pool,
    poolHead,
    follower,
    files,
    votes,
    refusal,
    networkId,
    staticNodes,
    permissions: starting.permissions,
    observer: metrics?.consensus,
    traceChain: metrics?.traceChain,
    memory: starting.memory,
    peerObserver: metrics?.peers,
    showProgress,
  })
  starting.measured.service = service
  // At once: the next dial uses the new list.
  starting.permissions.onNodesChanged(() => service.network()?.sendStatus())
  starting.stops.push(() => service.stop())
  return { service, votes, development: development?.rpc }
}

const openDoctor = (
  starting: Starting,
  service: ConsensusService,
  startedAtMs: () => number | undefined,
): Doctor => {
  const { node, options, pool, poolHead, refusals, memory, refusal, staticNodes } = starting
  const doctor = startDoctor({
    node,
    pool,
    poolHead,
    refusals,
    memory,
    refusal,
    connects: staticNodes !== undefined,
    startedAtMs,
    keyInUse: service.keyInUse,
    consensus: service.consensus,
    network: service.network,
    sync: service.sync,
    client: clientVersion(options.identity),
    dataPath: options.dataPath,
  })
  starting.measured.doctor = doctor
  starting.stops.push(doctor.stop)
  return doctor
}

/** The context of the RPC methods, shared by all ports. */
const openContext = (
  starting: Starting,
  parts: {
    readonly replicas: ReplicaStatuses
    readonly service: ConsensusService
    readonly votes: StandingVotes
    readonly development: RpcDevelopment | undefined
    readonly doctor: Doctor
    readonly metrics: NodeMetrics | undefined
    readonly accountIndex: AccountIndex | undefined
  },
): RpcContext => {
  const { replicas, service, votes, development, doctor, metrics, accountIndex } = parts
  const { node, options, listeners, refusal, pool, submit, miner, staticNodes, stops } = starting
  const { chain } = node
  const connects = staticNodes !== undefined
  return openRpcContext(options, {
    chain,
    pool,
    recoverSenders: node.recoverSenders,
    submit,
    network: connects ? rpcNetworkOf(chain.genesis.hash, service.network, service.networkStarted) : undefined,
    syncing: () => service.sync()?.lag(),
    healthProblems: doctor.healthProblems,
    permissions: rpcPermissionsOf(starting.permissions),
    status: doctor.status,
    observer: metrics?.rpc,
    differences: () => service.sync()?.differences() ?? [],
    replicas,
    votes,
    mining: async () =>
      refusal === undefined &&
      service.runs() &&
      service.sync()?.progress() === undefined &&
      (await roleOf(node, connects)).makesBlocks,
    round: service.round,
    miner: { ...miner, start: service.resume, stop: service.pause },
    coinbase: node.key.address,
    badBlocks: node.badBlocks.list,
    setLogLevel: changeLogLevel,
    snapshots: openNodeSnapshots(starting),
    services: () => servicesOf(options, listeners, service.network()),
    rpcDevelopment: development,
    accountIndex,
    openCallWorkers: host => {
      const workers = openCallWorkers(host, options, logOf('rpc'))
      if (workers !== undefined) stops.push(workers.close)
      development?.onChange(() => void workers?.forget())
      return workers
    },
    development: starting.development,
    log: logOf('rpc'),
  })
}

/** Writes the file that names the port of each service. */
const writePorts = ({ options, listeners, stops }: Starting, network: Network | undefined): void => {
  const { http, ws, graphql, metrics } = listeners
  stops.push(
    writePortsFile(options.dataPath, {
      ...(network === undefined ? {} : { p2p: network.port }),
      ...(http === undefined ? {} : { 'json-rpc': http.port }),
      ...(ws === undefined ? {} : { 'ws-rpc': ws.port }),
      ...(graphql === undefined ? {} : { 'graphql-http': graphql.port }),
      ...(metrics === undefined ? {} : { metrics: metrics.port }),
    }),
  )
}

/**
 * Starts the pool and the client ports, then consensus and the connections to other nodes.
 * @throws CommandError and others with a `code`, after it has stopped what had started
 */
export const startServices = async (node: RunningNode, given: ServiceOptions): Promise<Services> => {
  const starting = await prepare(node, given)
  const stop = (): Promise<void> => closeAll(starting.stops.splice(0).reverse())
  let startedAtMs: number | undefined
  try {
    const replicas = await startChainWatchers(starting)
    const follower = await startPool(starting)
    dropUnpermitted(starting)
    const metrics = await openMetrics(starting)
    const { service, votes, development } = await createConsensus(starting, follower, metrics)
    const doctor = openDoctor(starting, service, () => startedAtMs)
    const accountIndex = await openNodeIndex(starting, development)
    const parts = { replicas, service, votes, development, doctor, metrics, accountIndex }
    const context = openContext(starting, parts)
    await serveClients(starting, context)
    await service.start()
    starting.stops.push(
      startNodeHistory({ node, options: given.options, network: given.staticNodes && service.network }),
    )
    if (metrics !== undefined)
      starting.stops.push(
        await publishMetrics(metrics, starting.options, given.listeners.metrics, createProbes(context)),
      )
    const network = service.network()
    writePorts(starting, network)
    startedAtMs = Date.now()
    return { role: starting.role, network, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
