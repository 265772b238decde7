import type { Authentication } from '../auth/authentication.ts'
import type { ClientOf } from '../auth/client.ts'
import { createConnectionAuthentication } from '../auth/connection.ts'
import { authorizationOfSubprotocols, TOKEN_SUBPROTOCOL } from '../auth/subprotocol.ts'
import { RETRYING } from '../inbound/body.ts'
import { createCors } from '../http/cors.ts'
import { createHostCheck, type HostRequest } from '../http/hosts.ts'
import { createInboundLimits, type InboundLimits } from '../inbound/inboundLimits.ts'
import type { RpcContext } from '../rpc/context.ts'
import { createDispatcher, type TransportReplies } from '../rpc/dispatch/dispatcher.ts'
import { errorOutcome, replyText } from '../rpc/dispatch/envelope.ts'
import { METHODS } from '../rpc/methods/methodTable.ts'
import { createFeeds } from '../rpc/subscriptions/feeds.ts'
import { CONNECTION_METHODS } from '../rpc/subscriptions/methods.ts'
import { createSubscriptionHub } from '../rpc/subscriptions/subscriptions.ts'
import { createSession, type OpenSession } from './session.ts'
import { CLOSE_CODES, type Upgrade } from './socket.ts'

export type WsOptions = {
  /** Lower case; `*` alone for every host. */
  readonly hostAllowlist: readonly string[]
  /**
   * Web origins whose pages may open a connection, as the list of HTTP has them: regular expressions of whole origins. A client
   * that is no browser sends none.
   */
  readonly corsOrigins: readonly string[]
  /** Open connections. */
  readonly connectionsMax: number
  readonly authentication: Authentication
  readonly clientOf: ClientOf
  /** Shared with the other ports of the node; of this one alone where it is left out. */
  readonly inbound?: InboundLimits
}

export type WsApp = {
  /** Answers what is no upgrade. */
  fetch(request: Request, peer: () => string): Response | Promise<Response>
  /** Grants an upgrade or says why not. */
  upgrade(request: HostRequest, peer: () => string): Response | Upgrade
  /** Connections that are open. */
  readonly size: number
  /** Tells every client that the node stops, and closes. */
  close(): void
}

/** Some clients written in JavaScript offer it by mistake, and give up unless it is selected. */
const UNDEFINED_PROTOCOL = 'undefined'

const NOT_HTTP = (): Response =>
  new Response("Websocket endpoint can't handle HTTP requests", { status: 400 })

const TOO_MANY = (): Response =>
  new Response(
    'Too many WebSocket connections are open: close some, or raise --rpc-ws-max-active-connections',
    {
      status: 503,
      headers: { connection: 'close' },
    },
  )

const errorReply = (name: Parameters<typeof errorOutcome>[0], id = 'null') => ({
  status: 200,
  body: replyText(id, errorOutcome(name)),
})

/** What a message is answered otherwise than a request over HTTP. */
const WS_REPLIES: TransportReplies = {
  notJson: errorReply('PARSE_ERROR'),
  emptyBatch: { status: 200, body: '[]' },
  timeout: id => errorReply('TIMEOUT', id),
}

/**
 * JSON-RPC over WebSocket as Besu serves it, on a port of its own: every path may be upgraded, POST /login gives tokens,
 * other requests are answered with 400. The host allowlist and the list of origins stand before everything: browsers let every
 * page open a WebSocket to any address. An upgrade is never refused for want of a token.
 * @param context with the options of WebSocket: its groups, its timeout, no limit on batches.
 */
export const createWsApp = (context: RpcContext, options: WsOptions): WsApp => {
  const { authentication, clientOf, connectionsMax } = options
  const dispatcher = createDispatcher([...METHODS, ...CONNECTION_METHODS], context, WS_REPLIES)
  const hub = createSubscriptionHub(createFeeds(context))
  const refusedHost = createHostCheck(options.hostAllowlist)
  const cors = createCors(options.corsOrigins, 'CORS Rejected - Invalid origin')
  const inbound = options.inbound ?? createInboundLimits()
  const sessions = new Set<OpenSession>()

  const clientAddress = ({ headers }: HostRequest, peer: () => string): string =>
    clientOf(peer(), headers.get('x-forwarded-for'))

  const upgrade: WsApp['upgrade'] = (request, peer) => {
    const refusal = refusedHost(request)
    if (refusal !== undefined) return refusal
    const { headers } = request
    const refusedOrigin = cors.refuse(headers.get('origin'))
    if (refusedOrigin !== undefined) return refusedOrigin
    if (sessions.size >= connectionsMax) return TOO_MANY()
    const offered = headers.get('sec-websocket-protocol')
    const token = authentication.acceptsSubprotocol ? authorizationOfSubprotocols(offered) : undefined
    const authorization = token ?? headers.get('authorization')
    const client = clientAddress(request, peer)
    return {
      protocol:
        token !== undefined
          ? TOKEN_SUBPROTOCOL
          : offered === UNDEFINED_PROTOCOL
            ? UNDEFINED_PROTOCOL
            : undefined,
      open: socket => {
        const session = createSession(socket, {
          dispatcher,
          hub,
          inbound,
          authenticate: endSubscriptions =>
            createConnectionAuthentication(authentication, {
              authorization,
              client: () => client,
              endSubscriptions,
            }),
          reportError: context.reportError,
        })
        sessions.add(session)
        // Several may have been granted while fewer were open.
        if (sessions.size > connectionsMax)
          session.end(CLOSE_CODES.tryAgainLater, 'Too many WebSocket connections are open')
        return {
          message: text => session.message(text),
          closed: () => {
            sessions.delete(session)
            session.closed()
          },
        }
      },
    }
  }

  const login = async (request: Request, peer: () => string): Promise<Response> => {
    const client = () => clientAddress(request, peer)
    const admitted = inbound.admit(client)
    if (admitted === undefined) return new Response(null, { status: 503, headers: RETRYING })
    try {
      return await authentication.login(request, client)
    } finally {
      admitted.release()
    }
  }

  const route = (request: Request, peer: () => string): Response | Promise<Response> =>
    request.method === 'POST' && new URL(request.url).pathname === '/login'
      ? login(request, peer)
      : NOT_HTTP()

  return {
    fetch: (request, peer) => {
      const refusal = refusedHost(request)
      if (refusal !== undefined) return refusal
      const origin = request.headers.get('origin')
      if (origin === null || origin === '') return route(request, peer)
      const answered = cors.answer(request, origin)
      if (answered !== undefined) return answered
      return Promise.resolve(route(request, peer)).then(response => cors.allow(response, origin))
    },
    upgrade,
    get size() {
      return sessions.size
    },
    close: () => {
      for (const session of sessions) session.end(CLOSE_CODES.goingAway, 'The node is stopping')
    },
  }
}
