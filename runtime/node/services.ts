import type { PoolOptions } from '../../core/txpool/admission.ts'
import { createTransactionPool } from '../../core/txpool/transactionPool.ts'
import { fromHex } from '../../core/bytes/hex.ts'
import { consensusEntries } from '../../core/genesis/consensusEntries.ts'
import type { QbftConsensus } from '../../core/genesis/schedule.ts'
import type { Network } from '../../p2p/network.ts'
import { CommandError } from '../cli/errors.ts'
import type { NodeOptions } from '../cli/nodeOptions.ts'
import type { Progress } from '../cli/progress.ts'
import type { Consensus } from '../consensus/consensus.ts'
import type { Exchange } from '../exchange/exchange.ts'
import { writePortsFile } from '../files/portsFile.ts'
import { logOf } from '../logging/log.ts'
import { type Standing, standing } from '../validator/standing.ts'
import { clientVersion, NAME, VERSION } from '../version.ts'
import type { RunningNode } from './openNode.ts'
import { connectNetwork } from './peering.ts'
import { startPoolFollower } from './poolFollower.ts'
import { startReadAhead } from './readAhead.ts'
import { type RpcListener, serveRpc } from './rpcServer.ts'
import { createPoolHead, createSubmit } from './submit.ts'

export type ServiceOptions = {
  readonly options: NodeOptions
  readonly poolOptions: PoolOptions
  /** Undefined when JSON-RPC is off. */
  readonly listener: RpcListener | undefined
  readonly development: boolean
  /** enode URLs to stay connected with; undefined when this node connects to no others. */
  readonly staticNodes: readonly string[] | undefined
  /** Draws a bar while the node catches up; undefined where nobody looks. */
  readonly showProgress: (() => Progress) | undefined
}

/** Everything that runs over an open chain. */
export type Services = {
  readonly standing: Standing
  /** Undefined when this node connects to no others. */
  readonly network: Pick<Network, 'enode' | 'port'> | undefined
  /** In the opposite order of the start; a block under way is finished. */
  stop(): Promise<void>
}

/** What this node is to the block after the head. */
const standingOf = async ({ chain, key }: RunningNode, connects: boolean): Promise<Standing> => {
  if (chain.configuration.consensus.kind !== 'qbft')
    return { makesBlocks: false, text: 'This chain is not QBFT: this node serves reads and makes no blocks' }
  return standing(await chain.validators(chain.head().header.number + 1n), key.address, connects)
}

const vanityOf = ({ minerExtraData }: NodeOptions): Uint8Array =>
  minerExtraData === undefined ? new TextEncoder().encode(`${NAME} ${VERSION}`) : fromHex(minerExtraData)

/** A validator that forgets a block it sealed, or what it signed, may seal another in its place. @throws CommandError */
const requireDurable = ({ storage }: RunningNode, options: NodeOptions): void => {
  if (storage.durability === 'synced' || options.storageUnsafe) return
  const loss = storage.durability === 'none' ? 'when the process ends' : 'when the machine loses power'
  throw new CommandError(
    'START_FAILED',
    `A validator must not lose blocks it has sealed, and --storage=${options.storage} may lose them ${loss}: use --storage=sqlite, or accept that with --storage-unsafe`,
  )
}

/** Starts JSON-RPC, then what connects with other nodes, then consensus. @throws CommandError; what was started by then is stopped again */
export const startServices = async (
  node: RunningNode,
  { options, poolOptions, listener, development, staticNodes, showProgress }: ServiceOptions,
): Promise<Services> => {
  const { chain, key } = node
  const pool = createTransactionPool(poolOptions)
  const poolHead = createPoolHead(chain, options.minGasPrice)
  const connects = staticNodes !== undefined
  const role = await standingOf(node, connects)
  if (role.makesBlocks && !development) requireDurable(node, options)
  const networkId = options.networkId ?? chain.configuration.chainId
  let network: Network | undefined

  const startExchange = async (): Promise<Exchange> => {
    const { startExchange: start } = await import('../exchange/startExchange.ts')
    const exchange = start({
      chain,
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
    stops.push(() => exchange.stop())
    return exchange
  }

  const startConsensus = async (
    consensus: QbftConsensus,
    exchange: Exchange | undefined,
  ): Promise<Consensus> => {
    const driver = await import('../consensus/driver.ts')
    const started = await driver.startConsensus({
      chain,
      consensus,
      pool,
      poolHead,
      key,
      standingVotes: () => [],
      vanity: vanityOf(options),
      minGasPrice: options.minGasPrice,
      targetGasLimit: options.targetGasLimit,
      selectionPercent: options.poaBlockTxsSelectionMaxTime,
      log: logOf('validator'),
      storage: node.storage,
      environment: {
        dialect: options.bftLegacyProtocolEncoding ? 'legacy' : 'blockAccessList',
        requestTimeoutMs: consensus.parameters.requestTimeoutSeconds * 1000,
        requestTimeoutMaxMs: options.qbftMaxRequestTimeout * 1000,
        earlyRoundChange: options.qbftEarlyRoundChange,
        duplicateMessagesMax: consensus.messaging.duplicateMessageLimit,
        futureMessagesMax: consensus.messaging.futureMessagesLimit,
        futureDistanceMax: consensus.messaging.futureMessagesMaxDistance,
      },
      messageQueueMax: consensus.messaging.messageQueueLimit,
      poolSettled: follower.settled,
      exchange,
    })
    stops.push(() => started.stop())
    return started
  }

  const stops: (() => Promise<void> | void)[] = []
  const stop = async (): Promise<void> => {
    for (const stopOne of stops.splice(0).reverse()) await stopOne()
  }
  const follower = startPoolFollower({ chain, pool, poolHead, log: logOf('pool') })
  stops.push(follower.stop)
  stops.push(startReadAhead({ pool, store: chain.store, log: logOf('pool') }))
  try {
    if (listener !== undefined)
      serveRpc(listener, options, {
        chain,
        pool,
        recoverSenders: node.recoverSenders,
        submit: createSubmit(chain, pool, poolHead),
        mining: role.makesBlocks,
        development,
        log: logOf('rpc'),
      })
    const exchange = connects ? await startExchange() : undefined
    // Stopped after consensus, which finishes its block with the others.
    stops.push(() => network?.stop())
    const { consensus: kind } = chain.configuration
    const consensus = kind.kind === 'qbft' ? await startConsensus(kind, exchange) : undefined
    if (exchange !== undefined)
      network = await connectNetwork(options, key, staticNodes ?? [], exchange, consensus)
    stops.push(
      writePortsFile(options.dataPath, {
        ...(network === undefined ? {} : { p2p: network.port }),
        ...(listener === undefined ? {} : { 'json-rpc': listener.port }),
      }),
    )
    return { standing: role, network, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
