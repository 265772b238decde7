import { Hono } from 'hono'
import { EVERYONE } from '../auth/caller.ts'
import type { RpcContext, RpcHost } from '../rpc/context.ts'
import { createDispatcher, type Reply } from '../rpc/dispatcher.ts'
import { createFilterRegistry } from '../rpc/filters/registry.ts'
import { createGasPriceOracle } from '../rpc/gasPrice.ts'
import { METHODS } from '../rpc/methods.ts'
import { readBody } from './body.ts'
import { createCors } from './cors.ts'
import { liveness, readiness } from './health.ts'
import { createHostCheck } from './hosts.ts'

export type HttpOptions = {
  /** Lower case; `*` alone for every host. */
  readonly hostAllowlist: readonly string[]
  /** Regular expressions of whole origins; `*` alone for every origin. */
  readonly corsOrigins: readonly string[]
  /** Longest request body. */
  readonly bodyBytesMax: number
}

/** Besu's defaults. */
export const HTTP_DEFAULTS: HttpOptions = {
  hostAllowlist: ['localhost', '127.0.0.1'],
  corsOrigins: [],
  bodyBytesMax: 128 * 1024 * 1024,
}

export type RpcApp = { readonly fetch: (request: Request) => Response | Promise<Response> }

const JSON_HEADERS = { 'content-type': 'application/json' }

const JSON_RESPONSE: ResponseInit = { status: 200, headers: JSON_HEADERS }

const toResponse = ({ status, body }: Reply): Response =>
  status === 200 && body !== ''
    ? new Response(body, JSON_RESPONSE)
    : new Response(body === '' ? null : body, { status, headers: body === '' ? {} : JSON_HEADERS })

const notAllowed = (allow: string): Response => new Response(null, { status: 405, headers: { allow } })

const acceptsJson = (accept: string | null): boolean =>
  accept === null || accept === '' || /\*\/\*|application\/(?:\*|json)/i.test(accept)

/** True for an absolute URL whose path is / and that has nothing behind it. */
const isRoot = (url: string): boolean => url.indexOf('/', url.indexOf('://') + 3) === url.length - 1

/** What the methods of one node share; made once for all its endpoints. */
export const createRpcContext = (host: RpcHost): RpcContext => ({
  ...host,
  filters: createFilterRegistry(host),
  gasPrice: createGasPriceOracle(host),
})

/**
 * JSON-RPC over HTTP as Besu serves it: POST / for requests, GET / for a sign of life, /liveness, /readiness; the host
 * allowlist and CORS stand before everything.
 */
export const createRpcApp = (context: RpcContext, options: HttpOptions): RpcApp => {
  const dispatcher = createDispatcher(METHODS, context)
  const refusedHost = createHostCheck(options.hostAllowlist)
  const cors = createCors(options.corsOrigins)

  /** Methods turn what goes wrong in them into replies, so this is a fault of the server itself. */
  const failed = (error: unknown): Response => {
    context.reportError('HTTP', error)
    return new Response(null, { status: 500 })
  }

  const post = async (request: Request): Promise<Response> => {
    if (!acceptsJson(request.headers.get('accept'))) return new Response(null, { status: 406 })
    let body: string | undefined
    try {
      body = await readBody(request, options.bodyBytesMax)
    } catch {
      // The client went away within its request; nobody is there to be told more.
      return new Response(null, { status: 400 })
    }
    if (body === undefined) return new Response(null, { status: 413 })
    try {
      const reply = dispatcher.handle(body, EVERYONE)
      return toResponse(reply instanceof Promise ? await reply : reply)
    } catch (error) {
      return failed(error)
    }
  }

  const app = new Hono()
  // With a query; without one it goes the short way below.
  app.post('/', c => post(c.req.raw))
  app.get('/', () => new Response(null, { status: 201 }))
  app.all('/', () => notAllowed('GET, POST'))
  app.get('/liveness', liveness)
  app.all('/liveness', () => notAllowed('GET'))
  app.get('/readiness', c =>
    readiness(
      { minPeers: c.req.query('minPeers'), maxBlocksBehind: c.req.query('maxBlocksBehind') },
      {
        peerCount: context.network?.peerCount(),
        syncing: context.syncing(),
        differences: context.differences(),
      },
    ),
  )
  app.all('/readiness', () => notAllowed('GET'))
  app.notFound(() => new Response(null, { status: 404 }))
  app.onError(failed)

  // Nearly every request is this one; a router and its context would cost as much as the answer.
  const route = (request: Request): Response | Promise<Response> =>
    request.method === 'POST' && isRoot(request.url) ? post(request) : app.fetch(request)

  return {
    fetch: request => {
      const refusal = refusedHost(request)
      if (refusal !== undefined) return refusal
      const origin = request.headers.get('origin')
      if (origin === null || origin === '') return route(request)
      const answered = cors.answer(request, origin)
      if (answered !== undefined) return answered
      return Promise.resolve(route(request)).then(response => cors.allow(response, origin))
    },
  }
}
