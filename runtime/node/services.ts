import type { PoolOptions } from '../../core/txpool/admission.ts'
import { createTransactionPool } from '../../core/txpool/transactionPool.ts'
import { CommandError } from '../cli/errors.ts'
import type { NodeOptions } from '../cli/nodeOptions.ts'
import { writePortsFile } from '../files/portsFile.ts'
import { fromHex } from '../../core/bytes/hex.ts'
import { logOf } from '../logging/log.ts'
import { startProduction } from '../validator/production.ts'
import { type Standing, standing } from '../validator/standing.ts'
import { NAME, VERSION } from '../version.ts'
import type { RunningNode } from './openNode.ts'
import { type RpcListener, serveRpc } from './rpcServer.ts'
import { createPoolHead, createSubmit } from './submit.ts'

export type ServiceOptions = {
  readonly options: NodeOptions
  readonly poolOptions: PoolOptions
  /** Undefined when JSON-RPC is off. */
  readonly listener: RpcListener | undefined
  readonly development: boolean
}

/** Everything that runs over an open chain. */
export type Services = {
  readonly standing: Standing
  /** In the opposite order of the start; a block under way is finished. */
  stop(): Promise<void>
}

/** What this node is to the block after the head. */
const standingOf = async ({ chain, key }: RunningNode): Promise<Standing> => {
  if (chain.configuration.consensus.kind !== 'qbft')
    return { makesBlocks: false, text: 'This chain is not QBFT: this node serves reads and makes no blocks' }
  return standing(await chain.validators(chain.head().header.number + 1n), key.address)
}

const vanityOf = ({ minerExtraData }: NodeOptions): Uint8Array =>
  minerExtraData === undefined ? new TextEncoder().encode(`${NAME} ${VERSION}`) : fromHex(minerExtraData)

/** A validator that forgets a block it sealed may seal another in its place. @throws CommandError */
const requireDurable = ({ durability }: RunningNode, { storage, storageUnsafe }: NodeOptions): void => {
  if (durability === 'synced' || storageUnsafe) return
  const loss = durability === 'none' ? 'when the process ends' : 'when the machine loses power'
  throw new CommandError(
    'START_FAILED',
    `A validator must not lose blocks it has sealed, and --storage=${storage} may lose them ${loss}: use --storage=sqlite, or accept that with --storage-unsafe`,
  )
}

/** Starts JSON-RPC and block production. @throws CommandError; what was started by then is stopped again */
export const startServices = async (
  node: RunningNode,
  { options, poolOptions, listener, development }: ServiceOptions,
): Promise<Services> => {
  const { chain, key } = node
  const { consensus } = chain.configuration
  const pool = createTransactionPool(poolOptions)
  const poolHead = createPoolHead(chain, options.minGasPrice)
  const role = await standingOf(node)
  if (role.makesBlocks && !development) requireDurable(node, options)
  const stops: (() => Promise<void> | void)[] = []
  const stop = async (): Promise<void> => {
    for (const stopOne of stops.splice(0).reverse()) await stopOne()
  }
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
    if (consensus.kind === 'qbft') {
      const production = startProduction({
        chain,
        consensus,
        pool,
        poolHead,
        key,
        vanity: vanityOf(options),
        minGasPrice: options.minGasPrice,
        targetGasLimit: options.targetGasLimit,
        selectionPercent: options.poaBlockTxsSelectionMaxTime,
        log: logOf('validator'),
      })
      stops.push(() => production.stop())
    }
    stops.push(writePortsFile(options.dataPath, listener === undefined ? {} : { 'json-rpc': listener.port }))
    return { standing: role, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
