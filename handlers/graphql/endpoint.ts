import type { ClientAddress, Identity } from '../auth/authentication.ts'
import { ANY_METHOD } from '../auth/caller.ts'
import type { HttpAccess, RpcApp } from '../http/app.ts'
import { checkedRoute, type Route } from '../http/checkedRoute.ts'
import { createCors } from '../http/cors.ts'
import { type Admitted, createInboundLimits, type InboundLimits } from '../inbound/inboundLimits.ts'
import { RETRYING } from '../inbound/body.ts'
import { createHostCheck } from '../http/hosts.ts'
import { notFound } from '../http/notFound.ts'
import { otherSpelling } from '../http/paths.ts'
import { createOwnOrigin } from '../http/ownOrigin.ts'
import type { RpcContext } from '../rpc/context.ts'
import { RPC_ERRORS } from '../rpc/errors.ts'
import { createGraphqlContext } from './context.ts'
import type { CreateEngine, Engine } from './engine.ts'
import { ExecutionAborted } from './errors.ts'
import { JSON_HEADERS } from './http/answer.ts'
import type { GraphqlOptions } from './options.ts'
import { asksForPage, createPage } from './page.ts'
import { createGraphqlSchema } from './schema/schema.ts'
import { createSubscriptionRegistry } from './subscriptions/registry.ts'

export type GraphqlApp = RpcApp & {
  /** Ends all subscriptions and with them their connections. */
  close(): void
}

const ENDPOINT = '/graphql'

const noPeer = (): string => 'an unknown address'

const errors = (status: number, message: string, extensions?: object): Response =>
  new Response(
    JSON.stringify({ errors: [{ message, ...(extensions === undefined ? {} : { extensions }) }] }),
    {
      status,
      headers: JSON_HEADERS,
    },
  )

const redirect = (): Response => new Response(null, { status: 308, headers: { location: ENDPOINT } })
const notAllowed = (): Response => new Response(null, { status: 405, headers: { allow: 'GET, POST' } })

const timedOut = (): Response =>
  errors(504, RPC_ERRORS.TIMEOUT.message, { classification: 'ExecutionAborted' })

/** Too many requests of the client's address are in progress. */
const busy = (): Response =>
  new Response(JSON.stringify({ errors: [{ message: RPC_ERRORS.NODE_BUSY.message }] }), {
    status: 503,
    headers: { ...JSON_HEADERS, ...RETRYING },
  })

/**
 * A GET that a page of another site causes without a script, as an image or a link does: the page cannot read the answer, but the
 * node would do the work. Requests with an Origin have passed CORS.
 */
const isOfOtherSite = ({ method, headers }: Request): boolean =>
  method === 'GET' && !headers.has('origin') && OTHER_SITES.includes(headers.get('sec-fetch-site') ?? '')

const OTHER_SITES: readonly string[] = ['cross-site', 'same-site']

const otherSite = (): Response => errors(403, 'Pages of other sites may not send queries by GET')

const unauthorized = (): Response => {
  const { code, message } = RPC_ERRORS.UNAUTHORIZED
  return errors(401, message, { errorCode: code, errorMessage: message })
}

/** Parts shared by all requests of the endpoint. */
type Parts = HttpAccess & {
  readonly context: RpcContext
  readonly engine: Engine
  readonly inbound: InboundLimits
  readonly page: (request: Request) => Promise<Response>
}

/** A request with its authenticated caller. */
type Identified = {
  readonly caller: Identity
  readonly peer: () => string
  readonly claim: Admitted['claim']
}

/** The events of a stream come after its headers, each at a head of its own. */
const isStream = ({ headers }: Response): boolean =>
  headers.get('content-type')?.startsWith('text/event-stream') === true

const withHeaders = (response: Response, headers: Readonly<Record<string, string>>): Response => {
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value)
  return response
}

/** Executes within the timeout. Work in progress ends at its next check, and its answer is discarded. */
const execute = async (
  { authentication, context, engine }: Parts,
  request: Request,
  { caller, peer, claim }: Identified,
): Promise<Response> => {
  const controller = new AbortController()
  const { signal } = controller
  const { expiresAtMs } = caller
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeout = new Promise<Response>(resolve => {
    timer = setTimeout(() => {
      controller.abort(new ExecutionAborted(RPC_ERRORS.TIMEOUT.message))
      resolve(timedOut())
    }, context.options.timeoutMs)
  })
  const graphql = createGraphqlContext({
    rpc: context,
    caller,
    authorization: request.headers.get('authorization'),
    abort: error => controller.abort(error),
    expired: () =>
      signal.aborted ||
      request.signal.aborted ||
      (expiresAtMs !== undefined && authentication.nowMs() >= expiresAtMs),
  })
  const { answerHeaders, proofs } = graphql.scope
  const isKnown = caller.user !== undefined
  const executed = engine(request, { ...graphql, abortSignal: signal, peer, claim, isKnown })
  try {
    const response = await Promise.race([executed, timeout])
    if (answerHeaders === undefined || isStream(response)) return response
    return withHeaders(response, answerHeaders(proofs.least()))
  } catch (error) {
    // The client has disconnected.
    if (request.signal.aborted) return new Response(null, { status: 400 })
    context.reportError('GraphQL', error)
    return errors(500, RPC_ERRORS.INTERNAL_ERROR.message)
  } finally {
    clearTimeout(timer)
  }
}

const answerEndpoint = async (parts: Parts, request: Request, peer: () => string): Promise<Response> => {
  const { authentication, clientOf, inbound, page } = parts
  if (request.method !== 'GET' && request.method !== 'POST') return notAllowed()
  if (asksForPage(request)) return await page(request)
  if (isOfOtherSite(request)) return otherSite()
  const client: ClientAddress = () => clientOf(peer(), request.headers.get('x-forwarded-for'))
  const caller = await authentication.identify(request.headers.get('authorization'), client)
  if (caller.unauthenticated) {
    caller.denied(ANY_METHOD)
    return unauthorized()
  }
  const admitted = inbound.admit(client)
  if (admitted === undefined) return busy()
  try {
    return await execute(parts, request, { caller, peer, claim: admitted.claim })
  } finally {
    admitted.release()
  }
}

const createRoute =
  (parts: Parts): Route =>
  (request, peer) => {
    const { pathname } = new URL(request.url)
    if (pathname === ENDPOINT) return answerEndpoint(parts, request, peer)
    if (pathname !== '/') return otherSpelling(request.url) ?? notFound()
    return request.method === 'GET' || request.method === 'POST' ? redirect() : notAllowed()
  }

/**
 * GraphQL over HTTP as in Besu: GET and POST /graphql, and a redirect from /. Checks the host allowlist and CORS first.
 * Adds GraphiQL for browsers.
 */
export const createGraphqlEndpoint = (
  context: RpcContext,
  options: GraphqlOptions,
  access: HttpAccess,
  createEngine: CreateEngine,
): GraphqlApp => {
  const { timeoutMs, prettyPrint } = context.options
  const registry = createSubscriptionRegistry()
  const engine = createEngine({
    schema: createGraphqlSchema(registry),
    complexityMax: options.complexityMax,
    introspection: options.introspection,
    bodyBytesMax: options.bodyBytesMax,
    isCompressing: options.isCompressing ?? true,
    timeoutMs,
    prettyPrint,
    report: error => context.reportError('GraphQL', error),
    scheduler: context.scheduler,
  })
  const inbound = options.inbound ?? createInboundLimits()
  const fetch = checkedRoute(
    {
      refusedHost: createHostCheck(options.hostAllowlist, context.warn),
      cors: createCors(options.corsOrigins, options.corsOption, context.warn),
      isOwnOrigin: createOwnOrigin(options.hostAllowlist),
    },
    createRoute({ ...access, context, engine, inbound, page: createPage() }),
  )
  return {
    close: () => registry.close(),
    fetch: (request, peer = noPeer) => fetch(request, peer),
  }
}
