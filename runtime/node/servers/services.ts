import type { PoolOptions } from '../../../core/txpool/admission.ts'
import { createTransactionPool } from '../../../core/txpool/transactionPool.ts'
import { createInboundLimits } from '../../../handlers/inbound/inboundLimits.ts'
import type { RpcHost } from '../../../handlers/rpc/context.ts'
import type { Network } from '../../../p2p/network.ts'
import type { Access } from '../../auth/open.ts'
import { CommandError } from '../../cli/errors.ts'
import type { NodeOptions } from '../../cli/nodeOptions.ts'
import type { Progress } from '../../cli/progress.ts'
import { openStandingVotes } from '../../consensus/standingVotes.ts'
import { openValidatorFiles } from '../../consensus/record/validatorFiles.ts'
import { writePortsFile } from '../../files/portsFile.ts'
import { changeLogLevel, logOf } from '../../logging/log.ts'
import { type ValidatorRole, validatorRole } from '../../consensus/validatorRole.ts'
import { type GraphqlListener, serveGraphql } from './graphqlServer.ts'
import { closeAll } from '../closeAll.ts'
import { createMinerSettings } from '../minerSettings.ts'
import type { RunningNode } from '../openNode.ts'
import { createConsensusService } from '../consensusService.ts'
import { startPoolAging } from '../pool/poolAging.ts'
import { startPoolFollower } from '../pool/poolFollower.ts'
import { startReadAhead } from '../prefetch.ts'
import { openCallWorkers } from '../callWorkers.ts'
import { rpcNetworkOf } from './rpcNetwork.ts'
import { startReplications } from '../../replicate/replications.ts'
import type { SharedStore } from '../../drivers/shared.ts'
import { openRpcContext, type RpcListener, serveRpc } from './rpcServer.ts'
import { startTransactionJournal } from '../pool/transactionJournal.ts'
import { startStoreWatch } from '../storeWatch.ts'
import { createPoolHead, createSubmit } from '../pool/submit.ts'
import { serveWs, type WsListener } from './wsServer.ts'

/** The ports that clients are served on; undefined for what is off. */
export type Listeners = {
  readonly http: RpcListener | undefined
  readonly ws: WsListener | undefined
  readonly graphql: GraphqlListener | undefined
}

export type ServiceOptions = {
  readonly options: NodeOptions
  readonly poolOptions: PoolOptions
  readonly listeners: Listeners
  readonly access: Access
  readonly development: boolean
  /** enode URLs to stay connected with; undefined when this node connects to no others. */
  readonly staticNodes: readonly string[] | undefined
  /** Stores that get a copy of each block. */
  readonly replicaTargets: readonly SharedStore[]
  /** Draws a bar while the node catches up; undefined where nobody looks. */
  readonly showProgress: (() => Progress) | undefined
}

/** Everything that runs over an open chain. */
export type Services = {
  readonly standing: ValidatorRole
  /** Undefined when this node connects to no others. */
  readonly network: Pick<Network, 'enode' | 'port'> | undefined
  /** In the opposite order of the start; a block under way is finished. */
  stop(): Promise<void>
}

/** What this node is to the block after the head. */
const standingOf = async ({ chain, key }: RunningNode, connects: boolean): Promise<ValidatorRole> => {
  if (chain.configuration.consensus.kind !== 'qbft')
    return { makesBlocks: false, text: 'This chain is not QBFT: this node serves reads and makes no blocks' }
  return validatorRole(await chain.validators(chain.head().header.number + 1n), key.address, connects)
}

/** Where each service that runs listens. */
const servicesOf = (
  options: NodeOptions,
  { http, ws, graphql }: Listeners,
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
    ...(network === undefined ? {} : { p2p: { host: options.p2pHost, port: network.port } }),
  }
}

/** Why this node must not be a validator: one that forgets a block it sealed, or what it signed, may seal another in its place. */
const refusalOf = ({ storage }: RunningNode, options: NodeOptions): string | undefined => {
  if (storage.durability === 'synced' || options.storageUnsafe || options.genesisFile === undefined)
    return undefined
  const loss = storage.durability === 'none' ? 'when the process ends' : 'when the machine loses power'
  return `A validator must not lose blocks it has sealed, and --storage=${options.storage} may lose them ${loss}: use --storage=sqlite, or accept that with --storage-unsafe`
}

/**
 * Starts JSON-RPC, then consensus and what connects with other nodes.
 * @throws CommandError and others with a `code`; what was started by then is stopped again
 */
export const startServices = async (node: RunningNode, given: ServiceOptions): Promise<Services> => {
  const { options, poolOptions, listeners, access, development, staticNodes } = given
  const { http, ws, graphql } = listeners
  const { chain } = node
  const pool = createTransactionPool(poolOptions)
  node.lookUpSenders(hash => pool.get(hash)?.sender)
  const miner = createMinerSettings(options)
  const poolHead = createPoolHead(chain, miner.settings)
  const role = await standingOf(node, staticNodes !== undefined)
  const refusal = refusalOf(node, options)
  if (role.makesBlocks && refusal !== undefined) throw new CommandError('START_FAILED', refusal)
  const stops: (() => Promise<void> | void)[] = []
  const stop = (): Promise<void> => closeAll(stops.splice(0).reverse())
  const owner = { address: node.key.address, genesisHash: chain.genesis.hash }
  const files = await openValidatorFiles(options.dataPath, owner, node.storage, logOf('validator'))
  const votes = await openStandingVotes(files, logOf('validator'))
  stops.push(startStoreWatch(chain.store, logOf('chain')).stop)
  const replications = startReplications(given.replicaTargets, { chain, log: logOf('replica') })
  stops.push(replications.stop)
  const follower = startPoolFollower({ chain, pool, poolHead, log: logOf('pool') })
  stops.push(follower.stop)
  stops.push(
    startPoolAging({
      pool,
      retentionMs: options.txPoolRetentionHours * 3_600_000,
      nowMs: () => Date.now(),
      log: logOf('pool'),
    }),
  )
  const submit = createSubmit(chain, pool, poolHead)
  if (node.storage.durability !== 'none') {
    const { recoverSenders } = node
    const { dataPath } = options
    const log = logOf('pool')
    stops.push((await startTransactionJournal({ dataPath, pool, submit, recoverSenders, log })).close)
  }
  stops.push(startReadAhead({ pool, store: chain.store, log: logOf('pool') }))
  const networkId = options.networkId ?? chain.configuration.chainId
  const consensusService = createConsensusService({
    node,
    options,
    minerSettings: miner.settings,
    pool,
    poolHead,
    follower,
    files,
    votes,
    refusal,
    networkId,
    staticNodes,
    showProgress: given.showProgress,
  })
  stops.push(() => consensusService.stop())
  try {
    const context = openRpcContext(options, {
      chain,
      pool,
      recoverSenders: node.recoverSenders,
      submit,
      network:
        staticNodes === undefined
          ? undefined
          : rpcNetworkOf(chain.genesis.hash, consensusService.network, consensusService.networkStarted),
      syncing: () => consensusService.sync()?.progress(),
      troubles: consensusService.troubles,
      differences: () => consensusService.sync()?.differences() ?? [],
      replicas: replications.status,
      votes,
      mining: async () =>
        refusal === undefined &&
        consensusService.runs() &&
        consensusService.sync()?.progress() === undefined &&
        (await standingOf(node, staticNodes !== undefined)).makesBlocks,
      round: consensusService.round,
      miner: { ...miner, start: consensusService.resume, stop: consensusService.pause },
      coinbase: node.key.address,
      badBlocks: node.badBlocks.list,
      setLogLevel: changeLogLevel,
      services: () => servicesOf(options, listeners, consensusService.network()),
      openCallWorkers: host => {
        const workers = openCallWorkers(host, options.rpcWorkers, logOf('rpc'))
        if (workers !== undefined) stops.push(workers.close)
        return workers
      },
      development,
      log: logOf('rpc'),
    })
    const entrance = { ...access, inbound: createInboundLimits() }
    if (http !== undefined) serveRpc(http, options, entrance, context)
    if (ws !== undefined) serveWs(ws, options, entrance, context, development)
    if (graphql !== undefined) await serveGraphql(graphql, options, entrance, context)
    await consensusService.start()
    const network = consensusService.network()
    stops.push(
      writePortsFile(options.dataPath, {
        ...(network === undefined ? {} : { p2p: network.port }),
        ...(http === undefined ? {} : { 'json-rpc': http.port }),
        ...(ws === undefined ? {} : { 'ws-rpc': ws.port }),
        ...(graphql === undefined ? {} : { 'graphql-http': graphql.port }),
      }),
    )
    return { standing: role, network, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
