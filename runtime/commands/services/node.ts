import { resolve } from 'node:path'
import { stderr } from 'node:process'
import type { Address } from '../../../core/bytes/bytes.ts'
import { formatEnode, parseEnode } from '../../../p2p/transport/enode.ts'
import { tuneAllocator } from '../../allocator.ts'
import { openAccess } from '../../auth/open.ts'
import type { CommandContext } from '../../cli/command.ts'
import { enabledBy } from '../../cli/enabled.ts'
import { ignoredOptions } from '../../cli/ignored.ts'
import { NODE_OPTIONS, type NodeOptions } from '../../cli/nodeOptions.ts'
import { startProgress } from '../../cli/terminal/progress.ts'
import { unknownVariables, variableHint } from '../../cli/sources/resolve.ts'
import { writePidFile } from '../../files/pidFile.ts'
import { readStaticNodes } from '../../files/staticNodes.ts'
import { type Log, logOf } from '../../logging/log.ts'
import { foreignChainWarning } from '../../migrate/foreignChain.ts'
import { developmentBanner, developmentFields } from '../../node/process/developmentBanner.ts'
import { closeAll } from '../../node/closeAll.ts'
import { StorageWaitStopped } from '../../drivers/lease.ts'
import { replicaTargetsOf } from '../../replicate/targets.ts'
import { listenForGraphql } from '../../node/servers/graphqlServer.ts'
import { watchRequiredBlocks } from '../../node/opening/requiredBlocks.ts'
import type { RunningNode } from '../../node/runningNode.ts'
import { prepareRunningNode } from '../../node/opening/openNode.ts'
import { freeGasWarnings, poolOptionsOf } from '../../node/pool/poolOptions.ts'
import { openNodeLog } from '../../node/process/nodeLog.ts'
import { openPermissions } from '../../permissions/openPermissions.ts'
import { otlpOf, servesMetrics } from '../../node/metrics.ts'
import { listenForMetrics } from '../../node/servers/metricsServer.ts'
import { renewCertificatesOnHangUp } from '../../node/servers/renewCertificates.ts'
import { expiringCertificates, readListenerTls } from '../../node/servers/tls.ts'
import { ipcPathOf } from '../../node/servers/ipcPath.ts'
import { listenForRpc } from '../../node/servers/rpcServer.ts'
import { type Listeners, type Services, startServices } from '../../node/servers/services.ts'
import { notifyServiceManager } from '../../node/process/serviceManager.ts'
import { stopSignal } from '../../node/process/signals.ts'
import type { Server } from '../../serving/serve.ts'
import { summaryBox, summaryFields } from '../../node/process/summary.ts'
import { openSecurityModule } from '../../signing/securityModule.ts'
import type { listenForWs, WsListener } from '../../node/servers/wsServer.ts'

type Context = CommandContext<typeof NODE_OPTIONS>

/** Says what accepted options of Besu mean here, and warns of options and variables that have no effect. */
const warnOfIgnored = ({ options, sources, accepted, environment }: Context, log: Log): void => {
  for (const { shown, value, meaning } of accepted)
    log.info('{option}={value} is accepted: {meaning}', { option: shown, value, meaning })
  for (const name of unknownVariables(NODE_OPTIONS, environment))
    log.warn('The environment variable {name} matches no option and has been ignored{hint}', {
      name,
      hint: variableHint(NODE_OPTIONS, name),
    })
  for (const { ignored, parent } of ignoredOptions({ options, sources }))
    log.warn('{ignored} has been ignored because {parent} was not defined on the command line.', {
      ignored,
      parent,
    })
}

/** Shows the development accounts: a banner on a terminal, one record in JSON output. */
const announceAccounts = (
  { terminal }: Context,
  { chain }: RunningNode,
  format: 'PLAIN' | 'JSON',
  log: Log,
): Promise<void> => {
  const { configuration, genesis, store } = chain
  // In a run, which loads what a storage without synchronous reads has not read yet; it may begin several times.
  const inRun = <T>(show: (balance: (address: Address) => bigint) => T): Promise<T> =>
    store.run(() => {
      const state = store.stateAt(chain.head().header.number)
      return show(address => state.account(address)?.balance ?? 0n)
    })
  return format === 'PLAIN'
    ? inRun(balance => developmentBanner(configuration, genesis.header, balance)).then(text =>
        terminal.out(text),
      )
    : inRun(balance => developmentFields(configuration, genesis.header, balance)).then(fields =>
        log.info('Development accounts, whose keys are public', { ...fields }),
      )
}

const addressOf = ({ hostname, port }: Server): string => `${hostname}:${port}`

/** Names the transport, and the one to use with Besu or GoQuorum. */
const transportText = (transport: NodeOptions['p2pProtocol']): string =>
  transport === 'libp2p' ? 'libp2p; with Besu or GoQuorum: --p2p-protocol=devp2p' : transport

/** The end of a URL scheme with TLS. */
const secureSuffix = (isTls: boolean): string => (isTls ? 's' : '')

/** Logs by which URLs other nodes reach this one. */
const logEnodes = (enode: string, { p2pHostIpv6, p2pPortIpv6 }: NodeOptions, log: Log): void => {
  log.info('Enode URL {enode}', { enode })
  if (p2pHostIpv6 === undefined) return
  const { publicKey } = parseEnode(enode)
  log.info('Enode URL over IPv6 {enode}', {
    enode: formatEnode({ publicKey, host: p2pHostIpv6, port: p2pPortIpv6 }),
  })
}

const announce = async (
  context: Context,
  node: RunningNode,
  services: Services,
  { http, ws, graphql, metrics }: Listeners,
  format: 'PLAIN' | 'JSON',
  log: Log,
): Promise<void> => {
  const { options, terminal } = context
  const { network } = services
  const development = options.genesisFile === undefined
  if (development) await announceAccounts(context, node, format, log)
  const fields = summaryFields({
    configuration: node.chain.configuration,
    genesis: node.chain.genesis,
    head: node.chain.head(),
    dataPath: resolve(options.dataPath),
    storage: options.storage,
    address: node.key.address,
    role: services.role.text,
    p2pAddress:
      network === undefined
        ? undefined
        : `${options.p2pInterface}:${network.port} over ${transportText(options.p2pProtocol)}`,
    rpcUrl:
      http === undefined ? undefined : `http${secureSuffix(options.rpcHttpTlsEnabled)}://${addressOf(http)}`,
    wsUrl: ws === undefined ? undefined : `ws${secureSuffix(options.rpcWsSslEnabled)}://${addressOf(ws)}`,
    graphqlUrl:
      graphql === undefined
        ? undefined
        : `http${secureSuffix(options.graphqlTlsEnabled)}://${addressOf(graphql)}/graphql`,
    ipcPath: options.xRpcIpcEnabled ? ipcPathOf(options) : undefined,
    metricsUrl: metrics === undefined ? undefined : `http://${addressOf(metrics)}/metrics`,
    startMs: Math.round(performance.now()),
  })
  if (format === 'PLAIN') terminal.out(`\n${summaryBox(fields)}`)
  else log.info('Started', fields)
  if (network !== undefined) logEnodes(network.enode, options, log)
  if (http === undefined) return
  const address = addressOf(http)
  if (format === 'PLAIN') terminal.out(`\nListening on ${address}`)
  else log.info('Listening on {address}', { address })
}

/** Listens for WebSocket; most nodes do not. */
const openWs = async (...from: Parameters<typeof listenForWs>): Promise<WsListener> =>
  (await import('../../node/servers/wsServer.ts')).listenForWs(...from)

/** Compiles contract code that is often called. */
const startCompiler = async (log: Log): Promise<void> => {
  const { startSegmentCompiler } = await import('../../compiler/segmentCompiler.ts')
  startSegmentCompiler(error => log.warn('Contract code stays interpreted: {error}', { error }))
}

/** Why a node cannot go on by itself: each resolves to the reason for the log. */
const reasonsToStop = ({ memoryExceeded, storageLost }: RunningNode): readonly Promise<string>[] => [
  memoryExceeded.then(
    ({ message }) =>
      `${message}. The block has a quorum of seals, so this node cannot follow the chain past it`,
  ),
  ...(storageLost === undefined ? [] : [storageLost.then(({ message }) => message)]),
]

/** Resolves when the first of these does, to why the node cannot go on; undefined at a signal. */
const untilStopped = async (
  reasons: readonly Promise<string | void>[],
  options: NodeOptions,
  listeners: Listeners,
  log: Log,
): Promise<string | undefined> => {
  const stopRenewing = renewCertificatesOnHangUp(options, listeners, log)
  const reason = (await Promise.race(reasons).finally(stopRenewing)) ?? undefined
  if (reason !== undefined) log.error('Stopping: {reason}', { reason })
  return reason
}

/** What an operator should mend although the node starts. */
const warningsOf = (
  options: NodeOptions,
  { warnings, configuration }: Awaited<ReturnType<typeof prepareRunningNode>>,
): readonly string[] => [
  ...warnings,
  ...[foreignChainWarning(options.dataPath)].filter(warning => warning !== undefined),
  ...freeGasWarnings(options, configuration),
  ...expiringCertificates(options, Date.now()),
]

const runLogged = async (context: Context, format: 'PLAIN' | 'JSON'): Promise<number> => {
  const { options, terminal } = context
  const log = logOf('node')
  const { development, http, p2p } = enabledBy(options)
  const tls = readListenerTls(options)
  const otlp = otlpOf(options, context.environment)
  const replicaTargets = replicaTargetsOf(options.replicateTo)
  // Others may have the blocks of a development chain that they follow.
  const waitsForDisk = !development || p2p || replicaTargets.length > 0
  const prepared = await prepareRunningNode({ ...options, repairsFromPeers: p2p, waitsForDisk }, () =>
    openSecurityModule(options, terminal),
  )
  const staticNodes = p2p ? readStaticNodes(options) : undefined
  const permissions = openPermissions(options, staticNodes ?? [], logOf('permissions'))
  const poolOptions = {
    ...poolOptionsOf(options, prepared.configuration),
    refusesSender: permissions.refusesSender,
  }
  const access = await openAccess(options, logOf('access'))
  const stop = stopSignal({ withInput: options.stopWithParent })
  let listeners: Listeners = { http: undefined, ws: undefined, graphql: undefined, metrics: undefined }
  let node: RunningNode | undefined
  let services: Services | undefined
  try {
    if (http) listeners = { ...listeners, http: await listenForRpc(options, tls.http) }
    if (options.rpcWsEnabled) listeners = { ...listeners, ws: await openWs(options, tls.ws) }
    if (options.graphqlHttpEnabled)
      listeners = { ...listeners, graphql: await listenForGraphql(options, tls.graphql) }
    if (servesMetrics(options)) listeners = { ...listeners, metrics: await listenForMetrics(options) }
    node = await prepared.open(stop.signal)
    const requiredBlocks = await watchRequiredBlocks(node.chain, options.requiredBlocks)
    warnOfIgnored(context, log)
    for (const warning of warningsOf(options, prepared)) log.warn('{warning}', { warning })
    const showProgress = terminal.interactive
      ? () => startProgress(terminal, text => void stderr.write(text))
      : undefined
    services = await startServices(node, {
      options,
      poolOptions,
      listeners,
      access,
      development,
      staticNodes,
      permissions,
      replicaTargets,
      otlp,
      showProgress,
    })
    await announce(context, node, services, listeners, format, log)
    notifyServiceManager('--ready', log)
    // After the start, because loading the C library and the compiler takes 20 ms each.
    tuneAllocator()
    if (options.evmCompilerEnabled) await startCompiler(log)
    const reasons = [stop.wait, requiredBlocks.violated, ...reasonsToStop(node)]
    if ((await untilStopped(reasons, options, listeners, log)) !== undefined) return 1
    notifyServiceManager('--stopping', log)
    log.info('Stopping; a second signal ends the process at once')
  } catch (error) {
    if (!(error instanceof StorageWaitStopped)) throw error
  } finally {
    // Before the servers wait for running requests: a login must not wait for a password check.
    await closeAll([
      access.close,
      () => Promise.all(Object.values(listeners).flatMap(listener => listener?.stop() ?? [])),
      () => services?.stop(),
      () => node?.close(),
    ])
  }
  log.info('Stopped')
  return 0
}

/** Runs a node until a signal stops it. */
export const runNode = async (context: Context): Promise<number> => {
  const nodeLog = openNodeLog(context.options, context.terminal)
  const removePidFile = writePidFile(context.options.pidPath)
  try {
    return await runLogged(context, nodeLog.format)
  } finally {
    removePidFile()
    nodeLog.close()
  }
}
