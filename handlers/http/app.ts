import { Hono } from 'hono'
import { type Authentication, type ClientAddress, NO_AUTHENTICATION } from '../auth/authentication.ts'
import { ANY_METHOD } from '../auth/caller.ts'
import type { ClientOf } from '../auth/client.ts'
import type { RequestRate } from '../auth/requestRate.ts'
import { withRunsBounded } from '../rpc/dispatch/offload.ts'
import type { RpcContext, RpcHost } from '../rpc/context.ts'
import { createDispatcher, type Dispatcher, type Reply } from '../rpc/dispatch/dispatcher.ts'
import { errorOutcome, replyText } from '../rpc/dispatch/envelope.ts'
import { createFilterRegistry } from '../rpc/filters/registry.ts'
import { forgetFeeSamples } from '../rpc/fees/feeSamples.ts'
import { createGasPriceOracle } from '../rpc/fees/gasPrice.ts'
import type { RpcErrorName } from '../rpc/errors.ts'
import { METHODS } from '../rpc/methods/methodTable.ts'
import {
  BODY_BYTES_MAX,
  CLOSING,
  createReadBody,
  type NoBody,
  type ReadBody,
  RETRYING,
  refuseBody,
} from '../inbound/body.ts'
import { checkedRoute, type Route } from './checkedRoute.ts'
import { type Compression, createCompression } from './compression.ts'
import { createCors } from './cors.ts'
import { createProbes, type Probes } from './probes.ts'
import { createHostCheck } from './hosts.ts'
import { createInboundLimits, type InboundLimits } from '../inbound/inboundLimits.ts'
import { notFound } from './notFound.ts'
import { otherSpelling, pathOf } from './paths.ts'
import { createOwnOrigin } from './ownOrigin.ts'

export type HttpOptions = {
  /** Lower case; `*` alone for every host. */
  readonly hostAllowlist: readonly string[]
  /** Regular expressions of whole origins; `*` alone for every origin. */
  readonly corsOrigins: readonly string[]
  /** The setting of `corsOrigins`, for the answer to other origins. */
  readonly corsOption: string
  /** Maximum size of a request body. */
  readonly bodyBytesMax: number
  /** False where the platform compresses answers for the client; true by default. */
  readonly isCompressing?: boolean
  /** Shared with the other ports of the node; by default of this port alone. */
  readonly inbound?: InboundLimits
  /** Web pages of this port, whose scripts may send requests to it without CORS; none by default. */
  readonly pages?: Pages | undefined
}

/** Answers a request for a page; undefined for another request. */
export type Pages = (request: Request) => Promise<Response> | Response | undefined

/** Besu's defaults. */
export const HTTP_DEFAULTS: HttpOptions = {
  hostAllowlist: ['localhost', '127.0.0.1'],
  corsOrigins: [],
  corsOption: '--rpc-http-cors-origins',
  bodyBytesMax: BODY_BYTES_MAX,
}

export type RpcApp = {
  /** @param peer gives the address of the other end of the connection; used only for logins and the audit log. */
  readonly fetch: (request: Request, peer?: () => string) => Response | Promise<Response>
}

/** Authentication of the endpoint, and how the address of a client is determined. */
export type HttpAccess = {
  readonly authentication: Authentication
  readonly clientOf: ClientOf
  /** Undefined for no limit. */
  readonly rate?: RequestRate | undefined
}

/** No authentication: everyone may call everything. */
export const OPEN_ACCESS: HttpAccess = { authentication: NO_AUTHENTICATION, clientOf: peer => peer }

const noPeer = (): string => 'an unknown address'

const JSON_HEADERS = { 'content-type': 'application/json' }

const JSON_RESPONSE = { status: 200, headers: JSON_HEADERS }

const notAllowed = (allow: string): Response => new Response(null, { status: 405, headers: { allow } })

const acceptsJson = (accept: string | null): boolean =>
  accept === null || accept === '' || /\*\/\*|application\/(?:\*|json)/i.test(accept)

/** True for an absolute URL whose path is one slash, or nothing, without a query. */
const isRoot = (url: string): boolean => {
  const start = url.indexOf('/', url.indexOf('://') + 3)
  return start < 0 || start === url.length - 1
}

const errorResponse = (status: number, name: RpcErrorName, headers: Readonly<Record<string, string>>) =>
  new Response(replyText('null', errorOutcome(name)), { status, headers: { ...JSON_HEADERS, ...headers } })

/** The limit on requests or on the memory of their bodies is reached, for one client or for all. */
const busy = (): Response => errorResponse(503, 'NODE_BUSY', RETRYING)

/** A body that does not arrive in time is answered like a request that times out: both have the same deadline. */
const withoutBody = (body: NoBody): Response => {
  if (body.reason === 'late') return errorResponse(408, 'TIMEOUT', CLOSING)
  return body.reason === 'busy' ? busy() : refuseBody(body)
}

/** The answer to GET /, with Besu's status: describes the endpoint to a person with a browser or curl. */
const description = ({ options, chain }: RpcContext): Response =>
  new Response(
    `${options.clientVersion} is a QBFT blockchain node of chain ${chain.configuration.chainId}. It answers JSON-RPC requests sent with POST to this address.\n`,
    { status: 201, headers: { 'content-type': 'text/plain; charset=utf-8' } },
  )

/** The answer to a request without a valid token where no method is open to everyone. Its body is not read. */
const tooManyRequests = (waitMs: number): Reply => ({
  status: 429,
  body: replyText('null', errorOutcome('TOO_MANY_REQUESTS')),
  headers: { 'retry-after': String(Math.ceil(waitMs / 1000)) },
})

const UNAUTHENTICATED: Reply = { status: 401, body: replyText('null', errorOutcome('UNAUTHORIZED')) }

/** State that the methods of one node share; created once for all its endpoints. */
export const createRpcContext = (host: RpcHost): RpcContext => {
  const context: RpcContext = {
    ...withRunsBounded(host),
    filters: createFilterRegistry(host),
    gasPrice: createGasPriceOracle(host),
  }
  host.development?.onRewind(({ head }) => {
    context.filters.goBack(head.header.number)
    context.gasPrice.forget()
    forgetFeeSamples(context.chain.store)
  })
  return context
}

/** Parts shared by all requests of the endpoint. */
type Parts = HttpAccess & {
  readonly context: RpcContext
  readonly dispatcher: Dispatcher
  readonly compression: Compression
  readonly readBody: ReadBody
  readonly inbound: InboundLimits
  readonly probes: Probes
}

const toResponse = (
  { compression }: Parts,
  { status, body, headers }: Reply,
  request: Request,
  peer: () => string,
): Response => {
  if (body === '') return new Response(null, headers === undefined ? { status } : { status, headers })
  const plain = status === 200 ? JSON_RESPONSE : { status, headers: JSON_HEADERS }
  const init = headers === undefined ? plain : { status, headers: { ...JSON_HEADERS, ...headers } }
  return compression.respond(body, request, peer, init)
}

/** The answer to an error of the server itself: those of methods become replies. */
const failed = ({ context }: Parts, error: unknown): Response => {
  context.reportError('HTTP', error)
  return new Response(null, { status: 500 })
}

const notAcceptable = (request: Request): Response | undefined =>
  acceptsJson(request.headers.get('accept')) ? undefined : new Response(null, { status: 406 })

const clientAt =
  ({ clientOf }: Parts, request: Request, peer: () => string): ClientAddress =>
  () =>
    clientOf(peer(), request.headers.get('x-forwarded-for'))

/** Not divided further: each async function around another costs as much as a short answer. */
const post = async (parts: Parts, request: Request, peer: () => string): Promise<Response> => {
  const { authentication, dispatcher, inbound, readBody, rate } = parts
  const client = clientAt(parts, request, peer)
  const admitted = inbound.admit(client)
  if (admitted === undefined) return busy()
  try {
    const refusal = notAcceptable(request)
    if (refusal !== undefined) return refusal
    const authorization = request.headers.get('authorization')
    const identified = authentication.identify(authorization, client)
    const caller = identified instanceof Promise ? await identified : identified
    if (caller.unauthenticated) {
      caller.denied(ANY_METHOD)
      return toResponse(parts, UNAUTHENTICATED, request, peer)
    }
    const waitMs = rate?.take(caller.user ?? client()) ?? 0
    if (waitMs > 0) return toResponse(parts, tooManyRequests(waitMs), request, peer)
    const { claim } = admitted
    const body = await readBody(request, claim, caller.user !== undefined)
    if (typeof body !== 'string') return withoutBody(body)
    const isGone = (): boolean => request.signal.aborted
    const reply = dispatcher.handle(body, caller, { isGone, claim, authorization })
    return toResponse(parts, reply instanceof Promise ? await reply : reply, request, peer)
  } catch (error) {
    return failed(parts, error)
  } finally {
    admitted.release()
  }
}

const login = async (parts: Parts, request: Request, peer: () => string): Promise<Response> => {
  const client = clientAt(parts, request, peer)
  const admitted = parts.inbound.admit(client)
  if (admitted === undefined) return busy()
  try {
    return notAcceptable(request) ?? (await parts.authentication.login(request, client))
  } finally {
    admitted.release()
  }
}

/** The routes beside POST /. */
const createRouter = (parts: Parts) => {
  const { context } = parts
  const app = new Hono<{ Bindings: { readonly peer: () => string } }>({
    strict: true,
    getPath: ({ url }) => pathOf(url),
  })
  // With a query string; without one, createRpcApp calls `post` directly.
  app.post('/', c => post(parts, c.req.raw, c.env.peer))
  app.get('/', () => description(context))
  app.all('/', () => notAllowed('GET, POST'))
  app.post('/login', c => login(parts, c.req.raw, c.env.peer))
  app.all('/login', () => notAllowed('POST'))
  for (const path of ['/liveness', '/readiness']) {
    app.get(path, c => parts.probes(c.req.raw) ?? notFound())
    app.all(path, () => notAllowed('GET'))
  }
  app.notFound(notFound)
  app.onError(error => failed(parts, error))
  return app
}

/** Answers a probe. A request with an Origin header comes from a web page and is routed like any other request. */
const probed = (probes: Probes, request: Request): Response | undefined =>
  request.method === 'POST' || request.headers.has('origin') ? undefined : probes(request)

/**
 * JSON-RPC over HTTP as Besu serves it: POST / for requests, GET / for a description, /login, /liveness and /readiness. The
 * host allowlist and CORS are checked first, except for probes.
 */
export const createRpcApp = (
  context: RpcContext,
  options: HttpOptions = HTTP_DEFAULTS,
  access: HttpAccess = OPEN_ACCESS,
): RpcApp => {
  const parts: Parts = {
    ...access,
    context,
    dispatcher: createDispatcher(METHODS, context),
    compression: createCompression(context.scheduler, options.isCompressing, context.answers),
    readBody: createReadBody({
      bytesMax: options.bodyBytesMax,
      timeoutMs: context.options.timeoutMs,
      scheduler: context.scheduler,
    }),
    inbound: options.inbound ?? createInboundLimits(),
    probes: createProbes(context),
  }
  const router = createRouter(parts)
  // Nearly every request is POST /; a router and its context would cost as much as the answer.
  const route: Route = (request, peer) =>
    request.method === 'POST' && isRoot(request.url)
      ? post(parts, request, peer)
      : (otherSpelling(request.url) ?? options.pages?.(request) ?? router.fetch(request, { peer }))
  const fetch = checkedRoute(
    {
      refusedHost: createHostCheck(options.hostAllowlist, context.warn),
      cors: createCors(options.corsOrigins, options.corsOption, context.warn),
      ...(options.pages === undefined ? {} : { isOwnOrigin: createOwnOrigin(options.hostAllowlist) }),
    },
    route,
  )
  return { fetch: (request, peer = noPeer) => probed(parts.probes, request) ?? fetch(request, peer) }
}
