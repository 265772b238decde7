import { createInboundLimits } from '../../../handlers/inbound/inboundLimits.ts'
import { openAccess } from '../../auth/open.ts'
import type { CommandContext } from '../../cli/command.ts'
import { configureLogFrom } from '../../cli/configureLog.ts'
import { enabledBy } from '../../cli/enabled.ts'
import { UsageError, requireOption } from '../../cli/errors.ts'
import { NODE_OPTIONS, type NodeOptions } from '../../cli/nodeOptions.ts'
import { type SharedStore, sharedStoreOf } from '../../drivers/shared.ts'
import { StorageUnavailable } from '../../drivers/storageUnavailable.ts'
import { logOf } from '../../logging/log.ts'
import { closeAll } from '../../node/closeAll.ts'
import { useFastEngine } from '../../node/opening/engine.ts'
import { readGenesis } from '../../node/opening/genesisFile.ts'
import type { Listener } from '../../node/servers/listener.ts'
import { listenForGraphql, serveGraphql } from '../../node/servers/graphqlServer.ts'
import { listenForRpc, rpcOptionsOf, serveRpc } from '../../node/servers/rpcServer.ts'
import { requireDistinctPorts } from '../../node/servers/servicePorts.ts'
import { listenForWs, serveWs } from '../../node/servers/wsServer.ts'
import { stopSignal } from '../../node/process/signals.ts'
import { openReader, type RunningReader } from '../../read/openReader.ts'
import type { READ_OPTIONS } from '../../read/options.ts'

type Context = CommandContext<typeof READ_OPTIONS>

/** The options of a node that has these: the others have their defaults, and a reader does not use them. */
const nodeOptionsOf = (options: Context['options']): NodeOptions => {
  const defaults = Object.fromEntries(
    Object.entries(NODE_OPTIONS).map(([key, { fallback }]) => [key, fallback]),
  )
  const rpcHttpEnabled = options.rpcHttpEnabled ?? true
  return { ...(defaults as NodeOptions), ...options, rpcHttpEnabled, p2pEnabled: false }
}

/** @throws UsageError */
const storeOf = ({ from, verify }: Context['options']): SharedStore => {
  const url = requireOption(from, '--from=<STORE>', ', the store to read')
  try {
    const store = sharedStoreOf(url)
    if (store.consistency === 'immutable' && verify === 'state')
      throw new StorageUnavailable(
        `${store.name} has no state that could be proved: its values never change. Give --verify=head`,
      )
    return store
  } catch (error) {
    if (error instanceof StorageUnavailable)
      throw new UsageError('INVALID_VALUE', `Invalid value for option '--from': ${error.message}`)
    throw error
  }
}

type Fetch = (request: Request, peer?: () => string) => Response | Promise<Response>

/** A listener whose requests wait until the head was read. */
const withFreshHead = <App extends { readonly fetch: Fetch }>(
  listener: Listener<App>,
  { fresh }: RunningReader,
): Listener<App> => ({
  ...listener,
  attach: app =>
    listener.attach({
      ...app,
      fetch: (request: Request, peer?: () => string) => {
        const reading = fresh()
        return reading === undefined ? app.fetch(request, peer) : reading.then(() => app.fetch(request, peer))
      },
    }),
})

/** Serves JSON-RPC and GraphQL from a store that a node fills, until a stop signal. */
export const runReader = async (context: Context): Promise<number> => {
  const { options, terminal } = context
  configureLogFrom(options, terminal, 'out')
  const log = logOf('read')
  const store = storeOf(options)
  const genesisFile = requireOption(options.genesisFile, '--genesis-file=<PATH>', ' of the network')
  const node = nodeOptionsOf(options)
  requireDistinctPorts(node)
  const genesis = readGenesis(genesisFile)
  const access = await openAccess(node, logOf('access'))
  const stop = stopSignal({ withInput: options.stopWithParent })
  const closers: (() => unknown)[] = [access.close]
  try {
    await useFastEngine()
    const http = node.rpcHttpEnabled === true ? await listenForRpc(node) : undefined
    if (http !== undefined) closers.push(() => http.stop())
    const ws = node.rpcWsEnabled ? await listenForWs(node) : undefined
    if (ws !== undefined) closers.push(() => ws.stop())
    const graphql = node.graphqlHttpEnabled ? await listenForGraphql(node) : undefined
    if (graphql !== undefined) closers.push(() => graphql.stop())
    const kv = await store.open()
    closers.push(() => kv.close())
    if (store.consistency === 'immutable')
      log.warn('{store} has blocks, receipts and logs, but no state: calls and balances are refused', {
        store: store.name,
      })
    const { chainId } = genesis.configuration
    const reader = await openReader(
      {
        genesis,
        kv,
        verification: options.verify,
        trustedBlock: options.trustedBlock,
        maxHeadAge: options.maxHeadAge,
        upstream: options.upstream,
        rpc: rpcOptionsOf(node, chainId, false),
        log,
      },
      () => stop.received,
    )
    if (reader === undefined) return 0
    closers.push(reader.stop)
    const serverAccess = { ...access, inbound: createInboundLimits() }
    const host = reader.context
    if (http !== undefined) serveRpc(withFreshHead(http, reader), node, serverAccess, host, ws)
    if (ws !== undefined)
      serveWs(ws, node, serverAccess, host, false, enabledBy(node).explorer ? http : undefined)
    if (graphql !== undefined) await serveGraphql(withFreshHead(graphql, reader), node, serverAccess, host)
    log.info('Reading {store} from block {number} on', {
      store: store.name,
      number: host.chain.head().header.number,
    })
    for (const [service, server] of Object.entries({ http, ws, graphql }))
      if (server !== undefined)
        log.info('{service} is listening on {address}', {
          service,
          address: `${server.hostname}:${server.port}`,
        })
    await stop.wait
    log.info('Stopping; a second signal ends the process at once')
  } finally {
    await closeAll(closers.reverse())
  }
  return 0
}
