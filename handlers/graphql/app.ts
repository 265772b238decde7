import type { ClientAddress } from '../auth/authentication.ts'
import { ANY_METHOD } from '../auth/caller.ts'
import { type HttpAccess, OPEN_ACCESS, type RpcApp } from '../http/app.ts'
import { createCors } from '../http/cors.ts'
import { type Admitted, createInboundLimits } from '../inbound/inboundLimits.ts'
import { RETRYING } from '../inbound/body.ts'
import { authorityOf, createHostCheck } from '../http/hosts.ts'
import { notFound } from '../http/notFound.ts'
import type { RpcContext } from '../rpc/context.ts'
import { RPC_ERRORS } from '../rpc/dispatch/errors.ts'
import { createGraphqlContext, type RequestParts } from './context.ts'
import { createEngine } from './engine.ts'
import { ExecutionAborted } from './errors.ts'
import { JSON_HEADERS } from './http/answer.ts'
import type { GraphqlOptions } from './options.ts'
import { asksForPage, createPage } from './page.ts'
import { createGraphqlSchema } from './schema/schema.ts'
import { createSubscriptionRegistry } from './subscriptions/registry.ts'

export type GraphqlApp = RpcApp & {
  /** Ends all subscriptions, so that their connections end. */
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

/** Too many requests of the client's address are under way. */
const busy = (): Response =>
  new Response(JSON.stringify({ errors: [{ message: RPC_ERRORS.NODE_BUSY.message }] }), {
    status: 503,
    headers: { ...JSON_HEADERS, ...RETRYING },
  })

const unauthorized = (): Response => {
  const { code, message } = RPC_ERRORS.UNAUTHORIZED
  return errors(401, message, { errorCode: code, errorMessage: message })
}

/** An address rather than a name, which an attacker's name server could make mean this node. */
const IS_ADDRESS = /^(?:localhost|\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-f:.]+\])(?::\d+)?$/i

/** Whether a page of this node's own calls: browsers send an Origin with every POST. */
const createOwnOrigin = (hostAllowlist: readonly string[]) => {
  // Otherwise the host has been found on the list before.
  const everyHost = hostAllowlist.includes('*')
  return (request: Request, origin: string): boolean => {
    const host = authorityOf(request)
    if (host === '' || (everyHost && !IS_ADDRESS.test(host))) return false
    return origin === `http://${host}` || origin === `https://${host}`
  }
}

/**
 * GraphQL over HTTP as Besu serves it: GET and POST /graphql, a redirect from /, host allowlist and CORS before everything.
 * Beside that GraphiQL for a browser, and subscriptions over server-sent events.
 */
export const createGraphqlApp = (
  context: RpcContext,
  options: GraphqlOptions,
  { authentication, clientOf }: HttpAccess = OPEN_ACCESS,
): GraphqlApp => {
  const { timeoutMs, prettyPrint } = context.options
  const refusedHost = createHostCheck(options.hostAllowlist)
  const cors = createCors(options.corsOrigins, 'CORS Rejected - Invalid origin')
  const isOwn = createOwnOrigin(options.hostAllowlist)
  const registry = createSubscriptionRegistry()
  const page = createPage()
  const inbound = options.inbound ?? createInboundLimits()
  const report = (error: unknown): void => context.reportError('GraphQL', error)
  const engine = createEngine({
    schema: createGraphqlSchema(registry),
    complexityMax: options.complexityMax,
    introspection: options.introspection,
    bodyBytesMax: options.bodyBytesMax,
    timeoutMs,
    prettyPrint,
    report,
    nowMs: context.nowMs,
  })

  /** Executes within the time there is; what is under way then ends where it next looks, and its answer is nobody's. */
  const run = async (
    request: Request,
    parts: Pick<RequestParts, 'caller'> & {
      readonly expiresAtMs: number | undefined
      readonly peer: () => string
      readonly claim: Admitted['claim']
    },
  ) => {
    const controller = new AbortController()
    const { signal } = controller
    const { expiresAtMs, caller, peer, claim } = parts
    let timer: ReturnType<typeof setTimeout> | undefined
    const late = new Promise<Response>(resolve => {
      timer = setTimeout(() => {
        controller.abort(new ExecutionAborted(RPC_ERRORS.TIMEOUT.message))
        resolve(timedOut())
      }, timeoutMs)
    })
    const executed = engine(request, {
      ...createGraphqlContext({
        rpc: context,
        caller,
        abort: error => controller.abort(error),
        expired: () =>
          signal.aborted ||
          request.signal.aborted ||
          (expiresAtMs !== undefined && authentication.nowMs() >= expiresAtMs),
      }),
      abortSignal: signal,
      peer,
      claim,
    })
    try {
      return await Promise.race([executed, late])
    } catch (error) {
      // Nobody is there to be told.
      if (request.signal.aborted) return new Response(null, { status: 400 })
      report(error)
      return errors(500, RPC_ERRORS.INTERNAL_ERROR.message)
    } finally {
      clearTimeout(timer)
    }
  }

  const endpoint = async (request: Request, peer: () => string): Promise<Response> => {
    if (request.method !== 'GET' && request.method !== 'POST') return notAllowed()
    if (asksForPage(request)) return await page(request)
    const client: ClientAddress = () => clientOf(peer(), request.headers.get('x-forwarded-for'))
    const caller = await authentication.identify(request.headers.get('authorization'), client)
    if (caller.unauthenticated) {
      caller.denied(ANY_METHOD)
      return unauthorized()
    }
    const admitted = inbound.admit(client)
    if (admitted === undefined) return busy()
    try {
      return await run(request, { caller, expiresAtMs: caller.expiresAtMs, peer, claim: admitted.claim })
    } finally {
      admitted.release()
    }
  }

  const route = (request: Request, peer: () => string): Response | Promise<Response> => {
    const { pathname } = new URL(request.url)
    if (pathname === ENDPOINT || pathname === `${ENDPOINT}/`) return endpoint(request, peer)
    if (pathname !== '/') return notFound()
    return request.method === 'GET' || request.method === 'POST' ? redirect() : notAllowed()
  }

  return {
    close: () => registry.close(),
    fetch: (request, peer = noPeer) => {
      const refusal = refusedHost(request)
      if (refusal !== undefined) return refusal
      const origin = request.headers.get('origin')
      if (origin === null || origin === '' || isOwn(request, origin)) return route(request, peer)
      const answered = cors.answer(request, origin)
      if (answered !== undefined) return answered
      return Promise.resolve(route(request, peer)).then(response => cors.allow(response, origin))
    },
  }
}
