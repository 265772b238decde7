import { AsyncLocalStorage } from 'node:async_hooks'
import { genesisHeadOf } from '../../core/chain/opening/openGenesis.ts'
import type { KeyValueStore } from '../../core/store/keyvalue/keyvalue.ts'
import { withImmutableCache } from '../../core/store/replica/immutableCache.ts'
import type { ChainHead } from '../../core/store/store.ts'
import { minBigint } from '../../core/bytes/integer.ts'
import type { Authentication } from '../../handlers/auth/authentication.ts'
import {
  type HealthProblems,
  RPC_DEFAULTS,
  type RpcContext,
  type RpcOptions,
} from '../../handlers/rpc/context.ts'
import { createGraphqlEndpoint } from '../../handlers/graphql/endpoint.ts'
import { createQueryEngine } from '../../handlers/graphql/queryEngine.ts'
import { createRpcApp, type RpcApp } from '../../handlers/http/app.ts'
import { createInboundLimits } from '../../handlers/inbound/inboundLimits.ts'
import { createFaultReport, type FaultReport, withNamedFailures } from '../read/faults.ts'
import { withHeadGuard } from '../read/guardedStore.ts'
import { createHeadFollower, type HeadFollower } from '../read/headFollower.ts'
import { createReadContext } from '../read/readHost.ts'
import { createUpstream, refuseCalls } from '../read/upstream.ts'
import { createVerification } from '../read/verification.ts'
import { NAME, VERSION } from '../product.ts'
import { openWorkerAccess } from './access.ts'
import type { WorkerEnvironment } from './environment.ts'
import { readDeployedGenesis } from './genesis.ts'
import { type Settings, settingsOf } from './settings.ts'
import { reportFailure, reportWarning } from './report.ts'

/** Memory of what never changes: an isolate has 128 MB. */
const IMMUTABLE_CACHE_BYTES = 24 * 1024 * 1024

const BODY_BYTES_MAX = 1024 * 1024
/** Memory of all bodies in progress. */
const BODIES_BYTES_MAX = 40 * 1024 * 1024
const GRAPHQL_COMPLEXITY_MAX = 200

/** The store of the request in progress: what one request opened must not be used by another. */
const requestStore = new AsyncLocalStorage<KeyValueStore>()

/** Runs work with the store of its request. */
export const withStore = <Result>(kv: KeyValueStore, work: () => Promise<Result>): Promise<Result> =>
  requestStore.run(kv, work)

const current = (): KeyValueStore => {
  const kv = requestStore.getStore()
  if (kv === undefined) throw new Error('there is no request whose store could be used')
  return kv
}

const storeOfRequest = (): KeyValueStore => ({
  durability: 'synced',
  getSync: undefined,
  get: key => current().get(key),
  getMany: async keys => {
    const kv = current()
    return (await kv.getMany?.(keys)) ?? Promise.all(keys.map(key => kv.get(key)))
  },
  set: entries => current().set(entries),
  setDurably: entry => current().setDurably(entry),
  sync: () => current().sync(),
  forget: async () => current().forget?.(),
  pause: () => Promise.resolve(),
  close: () => Promise.resolve(),
})

/** State of an isolate between requests: values, and functions that use the store of the calling request. */
export type IsolateState = {
  readonly genesisHead: ChainHead
  readonly verify: (head: ChainHead) => Promise<void>
  readonly follower: HeadFollower
  /** JSON-RPC and GraphQL; called once the follower has a head. */
  readonly answer: (request: Request, peer: () => string) => Response | Promise<Response>
}

const UNTRUSTED_GENESIS =
  'The genesis file comes from the store that it should check, so that answers say x-quorate-verified: none. Set GENESIS_SHA256 ' +
  '(what sha256sum genesis.json prints) or GENESIS; TRUSTED_BLOCK does not cover the forks and transitions of the file'

const healthProblemsOf = (
  follower: HeadFollower,
  faults: FaultReport,
  { maxHeadAge }: Settings,
): HealthProblems => {
  const stalls = [follower.reason() ?? faults.reason() ?? []].flat()
  const header = follower.current()?.head.header
  const age = Math.floor(Date.now() / 1000) - Number(header?.timestamp ?? 0n)
  if (header !== undefined && maxHeadAge > 0 && age > maxHeadAge)
    stalls.push(`the head, block ${header.number}, is ${age} s old, MAX_HEAD_AGE is ${maxHeadAge}`)
  return { failures: [], stalls }
}

const logError = (method: string, error: unknown): void => reportFailure(`${method} failed`, error)

const rpcOptionsOf = (
  { apis, gasCap, minGasPrice, timeoutMs }: Settings,
  networkId: bigint,
): Partial<RpcOptions> => ({
  apis,
  clientVersion: `${NAME}/v${VERSION}/workers`,
  networkId,
  gasCap,
  // 0 is no limit of a call.
  simulateGasCap:
    gasCap === 0n ? RPC_DEFAULTS.simulateGasCap : minBigint(gasCap, RPC_DEFAULTS.simulateGasCap),
  minGasPrice,
  timeoutMs,
})

type Apps = { readonly rpc: RpcApp; readonly graphql: () => RpcApp }

const openApps = (
  context: RpcContext,
  authentication: Authentication,
  { corsOrigins }: Pick<Settings, 'corsOrigins'>,
): Apps => {
  const access = { authentication, clientOf: (peer: string) => peer }
  // The platform compresses answers for the client.
  const options = {
    hostAllowlist: ['*'],
    corsOrigins,
    corsOption: 'CORS_ORIGINS',
    bodyBytesMax: BODY_BYTES_MAX,
    inbound: createInboundLimits({ bodiesBytesMax: BODIES_BYTES_MAX }),
    isCompressing: false,
  }
  // Its schema takes a part of the CPU of a start, and many isolates are never asked for it.
  let graphql: RpcApp | undefined
  return {
    rpc: createRpcApp(context, options, access),
    graphql: () =>
      (graphql ??= createGraphqlEndpoint(
        context,
        { ...options, complexityMax: GRAPHQL_COMPLEXITY_MAX, introspection: true },
        access,
        // No stream of events outlives a request here.
        createQueryEngine,
      )),
  }
}

/** Opens the state that an isolate keeps between requests. @throws SettingsError, GenesisError */
export const openIsolateState = async (env: WorkerEnvironment): Promise<IsolateState> => {
  const settings = settingsOf(env)
  const { genesis, isTrusted } = await readDeployedGenesis(env)
  if (!isTrusted && settings.verification !== 'none') reportWarning(UNTRUSTED_GENESIS)
  const genesisHead = genesisHeadOf(genesis)
  const { configuration } = genesis
  const headsKv = withNamedFailures(storeOfRequest())
  const faults = createFaultReport(() => Date.now())
  const kv = withImmutableCache(
    withHeadGuard(headsKv, () => follower.current()),
    { bytesMax: IMMUTABLE_CACHE_BYTES },
  )
  const { verification, trustedBlock, upstream } = settings
  const { verify, checked } = createVerification({
    kind: verification,
    genesis,
    genesisHead,
    kv,
    headsKv,
    trustedBlock,
  })
  const authentication = await openWorkerAccess(env, settings)
  const follower = createHeadFollower({
    kv: headsKv,
    genesis: genesisHead,
    verify,
    ttlMs: 0,
    sharesReads: false,
    nowMs: () => Date.now(),
  })
  const openContext = (): RpcContext =>
    createReadContext({
      configuration,
      genesis: genesisHead,
      kv,
      follower,
      verification: isTrusted ? verification : 'none',
      checked,
      isPerRequest: true,
      options: rpcOptionsOf(settings, configuration.chainId),
      forwardCall:
        upstream === undefined
          ? refuseCalls('a reader has no pool: set the variable UPSTREAM to the URL of a node')
          : // The platform bounds them, and a request that ends early would never give its place back.
            createUpstream(upstream, logError, Infinity),
      healthProblems: () => healthProblemsOf(follower, faults, settings),
      reportError: (method, error) => {
        faults.note(error)
        logError(method, error)
      },
      warn: reportWarning,
    })
  let apps: Apps | undefined
  return {
    genesisHead,
    verify,
    follower,
    answer: (request, peer) => {
      apps ??= openApps(openContext(), authentication, settings)
      const { pathname } = new URL(request.url)
      const app = pathname === '/graphql' ? apps.graphql() : apps.rpc
      return app.fetch(request, peer)
    },
  }
}
