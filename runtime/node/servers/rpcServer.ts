import { randomBytes } from 'node:crypto'
import { createExplorer } from '../../../handlers/explorer/explorer.ts'
import { createRpcApp, createRpcContext, type RpcApp } from '../../../handlers/http/app.ts'
import type { RpcDevelopment } from '../../../handlers/rpc/development/development.ts'
import { createRequestRate } from '../../../handlers/auth/requestRate.ts'
import type { CallWorkers } from '../../../handlers/rpc/dispatch/offload.ts'
import {
  RPC_DEFAULTS,
  type RpcContext,
  type RpcHost,
  type RpcOptions,
} from '../../../handlers/rpc/context.ts'
import { requestScheduler } from '../../../handlers/inbound/requestScheduler.ts'
import { METHODS } from '../../../handlers/rpc/methods/methodTable.ts'
import { enabledBy } from '../../cli/enabled.ts'
import { UsageError } from '../../cli/errors.ts'
import type { NodeOptions } from '../../cli/nodeOptions.ts'
import type { Log } from '../../logging/log.ts'
import { onNextTurn } from '../../scheduler.ts'
import { keepCompressed } from '../../threads/calls/compressedJson.ts'
import { clientVersion } from '../../version.ts'
import { minGasPriceOf } from '../pool/poolOptions.ts'
import type { Server, ServerTls } from '../../serving/serve.ts'
import { allowedOrigins } from './origins.ts'
import { type ServerAccess, type Listener, listenFor, proxyCheckOf, startingFailed } from './listener.ts'
import { createAnswerMemory } from '../../../handlers/rpc/answerMemory.ts'

/** The parts of the host that do not follow from the options. */
export type RpcParts = Pick<RpcHost, 'chain' | 'pool' | 'recoverSenders' | 'submit' | 'mining'> &
  Partial<
    Pick<
      RpcHost,
      | 'network'
      | 'syncing'
      | 'votes'
      | 'differences'
      | 'healthProblems'
      | 'replicas'
      | 'round'
      | 'miner'
      | 'coinbase'
      | 'badBlocks'
      | 'setLogLevel'
      | 'snapshots'
      | 'services'
      | 'observer'
      | 'status'
      | 'accountIndex'
      | 'permissions'
    >
  > & {
    /** Features of a development chain only. */
    readonly rpcDevelopment?: RpcDevelopment | undefined
    /** True for a development chain, which serves more groups by default. */
    readonly development: boolean
    readonly log: Log
    /** Undefined if all calls run on this thread. */
    readonly openCallWorkers?: (host: RpcHost) => CallWorkers | undefined
  }

/** Where the option asks for no limit: 50 MB of filters. */
const ACTIVE_FILTERS_MAX = 100_000

/** Groups that a development chain serves besides Besu's default ones. */
const DEVELOPMENT_APIS: readonly string[] = ['QBFT', 'TXPOOL', 'DEBUG', 'TRACE', 'OTS', 'DEV']

/** The group of the methods that only a development chain has. */
const DEVELOPMENT_API = 'DEV'

/**
 * The method groups to serve. @param chosen as --rpc-http-api or --rpc-ws-api
 * @throws UsageError for the methods of a development chain on any other
 */
export const apisOf = (chosen: readonly string[] | undefined, development: boolean): readonly string[] => {
  if (!development && chosen?.includes(DEVELOPMENT_API) === true)
    throw new UsageError(
      'INVALID_VALUE',
      `The group ${DEVELOPMENT_API} changes the state and the time of a chain: only a development chain has it. Leave it out of --rpc-http-api and --rpc-ws-api.`,
    )
  return chosen ?? [...RPC_DEFAULTS.apis, ...(development ? DEVELOPMENT_APIS : [])]
}

/** The options of the methods from those of the command line. */
export const rpcOptionsOf = (options: NodeOptions, chainId: bigint, development: boolean): RpcOptions => ({
  apis: apisOf(options.rpcHttpApi, development),
  clientVersion: options.devClientVersion ?? clientVersion(options.identity),
  networkId: options.networkId ?? chainId,
  minGasPrice: minGasPriceOf(options),
  minPriorityFee: options.minPriorityFee,
  gasCap: options.rpcGasCap,
  simulateGasCap: options.rpcSimulateGasCap,
  logsRangeMax: options.rpcMaxLogsRange,
  traceFilterRangeMax: options.rpcMaxTraceFilterRange,
  gasPriceBlocks: options.apiGasPriceBlocks,
  gasPricePercentile: options.apiGasPricePercentile,
  gasPriceMax: options.apiGasPriceMax,
  estimateGasToleranceRatio: options.estimateGasToleranceRatio,
  batchSizeMax: options.rpcHttpMaxBatchSize,
  timeoutMs: options.xHttpTimeoutSeconds * 1000,
  prettyPrint: options.jsonPrettyPrintEnabled,
  revertReasons: options.revertReasonEnabled,
  activeFiltersMax: options.rpcMaxActiveFilters || ACTIVE_FILTERS_MAX,
  filterTimeoutMs: options.rpcFilterTimeoutSeconds * 1000,
  traceStepsMax: options.rpcMaxTraceSteps,
  graphqlBlocksRangeMax: options.graphqlMaxBlocksRange,
  subscriptionsMax: options.rpcWsMaxActiveSubscriptions || Number.POSITIVE_INFINITY,
})

const hostOf = (
  options: NodeOptions,
  { development, rpcDevelopment, log, ...parts }: Omit<RpcParts, 'openCallWorkers'>,
): RpcHost => ({
  ...parts,
  development: rpcDevelopment,
  options: rpcOptionsOf(options, parts.chain.configuration.chainId, development),
  keep: keepCompressed,
  onNextTurn,
  scheduler: requestScheduler(),
  nowMs: () => Date.now(),
  randomBytes: length => new Uint8Array(randomBytes(length)),
  network: parts.network,
  syncing: parts.syncing ?? (() => undefined),
  votes: parts.votes,
  round: parts.round ?? (() => undefined),
  differences: parts.differences ?? (() => []),
  warn: text => log.warn('{text}', { text }),
  answers: createAnswerMemory(),
  reportError: (method, error) => log.error('{method} failed: {error}', { method, error }),
})

export type RpcListener = Listener<RpcApp>

/** Listens on the port of the options. @throws CommandError if it cannot listen */
export const listenForRpc = (options: NodeOptions, tls?: ServerTls): Promise<RpcListener> =>
  listenFor<RpcApp>({ fetch: startingFailed }, late => ({
    hostname: options.rpcHttpHost,
    hostOption: 'rpc-http-host',
    portOption: 'rpc-http-port',
    port: options.rpcHttpPort,
    isProxy: proxyCheckOf(options),
    tls,
    fetch: (request, peer) => late.use(app => app.fetch(request, peer)),
    bodyBytesMax: options.rpcHttpMaxRequestContentLength,
    connectionsMax: options.rpcHttpMaxActiveConnections,
  }))

/** Creates the context of the RPC methods, the same for all ports. */
export const openRpcContext = (options: NodeOptions, { openCallWorkers, ...parts }: RpcParts): RpcContext => {
  const host = hostOf(options, parts)
  return createRpcContext({ ...host, callWorkers: openCallWorkers?.(host) })
}

const GROUPS: ReadonlySet<string> = new Set(METHODS.map(({ group }) => group))

/** Warns about chosen groups without any method. */
export const warnOfEmptyGroups = ({ options, warn }: RpcContext): void => {
  const empty = options.apis.filter(api => !GROUPS.has(api))
  if (empty.length > 0)
    warn(`No method of ${empty.join(', ')} is supported yet: requests for them are answered with an error`)
}

/**
 * Serves JSON-RPC and the explorer on the listener.
 * @param ws the listener of JSON-RPC over WebSocket, from which the explorer gets new blocks
 */
export const serveRpc = (
  listener: RpcListener,
  options: NodeOptions,
  access: ServerAccess,
  context: RpcContext,
  ws: Pick<Server, 'port'> | undefined,
): void => {
  warnOfEmptyGroups(context)
  const app = createRpcApp(
    context,
    {
      hostAllowlist: options.hostAllowlist,
      corsOrigins: allowedOrigins(options.rpcHttpCorsOrigins, context),
      corsOption: '--rpc-http-cors-origins',
      bodyBytesMax: options.rpcHttpMaxRequestContentLength,
      inbound: access.inbound,
      pages: enabledBy(options).explorer ? createExplorer({ webSocketPort: ws?.port }) : undefined,
    },
    {
      authentication: access.http,
      clientOf: access.clientOf,
      rate:
        options.rpcHttpRateLimit === undefined
          ? undefined
          : createRequestRate(options.rpcHttpRateLimit, Date.now),
    },
  )
  listener.attach(app)
}
