import type { Authentication } from '../auth/authentication.ts'
import type { ClientOf } from '../auth/client.ts'
import { createConnectionAuthentication } from '../auth/connection.ts'
import { authorizationOfSubprotocols, TOKEN_SUBPROTOCOL } from '../auth/subprotocol.ts'
import { RETRYING } from '../inbound/body.ts'
import { checkedRoute, type Route } from '../http/checkedRoute.ts'
import { createCors } from '../http/cors.ts'
import { createHostCheck, type HostRequest } from '../http/hosts.ts'
import type { OwnOrigin } from '../http/ownOrigin.ts'
import { createInboundLimits, type InboundLimits } from '../inbound/inboundLimits.ts'
import type { RpcContext } from '../rpc/context.ts'
import { createDispatcher, type Dispatcher, type TransportReplies } from '../rpc/dispatch/dispatcher.ts'
import { errorOutcome, replyText } from '../rpc/dispatch/envelope.ts'
import { METHODS } from '../rpc/methods/methodTable.ts'
import { createFeeds } from '../rpc/subscriptions/feeds.ts'
import { CONNECTION_METHODS } from '../rpc/subscriptions/methods.ts'
import { createSubscriptionHub, type SubscriptionHub } from '../rpc/subscriptions/subscriptions.ts'
import { createSession, type OpenSession } from './session.ts'
import { CLOSE_CODES, type Session, type Socket, type Upgrade } from './socket.ts'

export type WsOptions = {
  /** Lower case; `*` alone for every host. */
  readonly hostAllowlist: readonly string[]
  /** Web origins whose pages may open a connection, as for HTTP: regular expressions of whole origins. */
  readonly corsOrigins: readonly string[]
  /** True for the origin of pages that the node itself serves; none by default. */
  readonly isOwnOrigin?: OwnOrigin | undefined
  /** Limit of open connections. */
  readonly connectionsMax: number
  readonly authentication: Authentication
  readonly clientOf: ClientOf
  /** Shared with the other ports of the node; by default of this port alone. */
  readonly inbound?: InboundLimits
}

export type WsApp = {
  /** Answers a request that is not an upgrade. */
  fetch(request: Request, peer: () => string): Response | Promise<Response>
  /** Grants or refuses an upgrade. */
  upgrade(request: HostRequest, peer: () => string): Response | Upgrade
  /** Number of open connections. */
  readonly size: number
  /** Sends every client a close frame with the reason that the node is stopping. */
  close(): void
}

/** Some JavaScript clients offer this by mistake, and fail unless it is selected. */
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

/** Replies that differ from those over HTTP. */
const WS_REPLIES: TransportReplies = {
  notJson: errorReply('PARSE_ERROR'),
  emptyBatch: { status: 200, body: '[]' },
  timeout: id => errorReply('TIMEOUT', id),
}

/** Parts shared by all connections of one port. */
type Parts = Pick<WsOptions, 'authentication' | 'clientOf' | 'connectionsMax'> & {
  readonly scheduler: RpcContext['scheduler']
  readonly dispatcher: Dispatcher
  readonly hub: SubscriptionHub
  readonly inbound: InboundLimits
  readonly reportError: RpcContext['reportError']
  readonly sessions: Set<OpenSession>
}

const clientAddress = ({ clientOf }: Parts, { headers }: HostRequest, peer: () => string): string =>
  clientOf(peer(), headers.get('x-forwarded-for'))

const openSession = (parts: Parts, socket: Socket, authorization: string | null, client: string): Session => {
  const { authentication, connectionsMax, sessions } = parts
  const session = createSession(socket, {
    ...parts,
    authenticate: endSubscriptions =>
      createConnectionAuthentication(authentication, {
        authorization,
        client: () => client,
        endSubscriptions,
      }),
  })
  sessions.add(session)
  // Several upgrades may have been granted at the same time.
  if (sessions.size > connectionsMax)
    session.end(CLOSE_CODES.tryAgainLater, 'Too many WebSocket connections are open')
  return {
    message: text => session.message(text),
    closed: () => {
      sessions.delete(session)
      session.closed()
    },
  }
}

/** Grants an upgrade that passed the host and origin checks. */
const grantUpgrade = (parts: Parts, request: HostRequest, peer: () => string): Response | Upgrade => {
  const { authentication, connectionsMax, sessions } = parts
  if (sessions.size >= connectionsMax) return TOO_MANY()
  const { headers } = request
  const offered = headers.get('sec-websocket-protocol')
  const token = authentication.acceptsSubprotocol ? authorizationOfSubprotocols(offered) : undefined
  const authorization = token ?? headers.get('authorization')
  const client = clientAddress(parts, request, peer)
  const fallback = offered === UNDEFINED_PROTOCOL ? UNDEFINED_PROTOCOL : undefined
  return {
    protocol: token === undefined ? fallback : TOKEN_SUBPROTOCOL,
    open: socket => openSession(parts, socket, authorization, client),
  }
}

const login = async (parts: Parts, request: Request, peer: () => string): Promise<Response> => {
  const { authentication, inbound } = parts
  const client = () => clientAddress(parts, request, peer)
  const admitted = inbound.admit(client)
  if (admitted === undefined) return new Response(null, { status: 503, headers: RETRYING })
  try {
    return await authentication.login(request, client)
  } finally {
    admitted.release()
  }
}

/**
 * JSON-RPC over WebSocket as Besu serves it, on a port of its own: every path may be upgraded, POST /login issues tokens,
 * and other requests get status 400. The host allowlist and the list of origins are checked first: browsers let every page
 * open a WebSocket to any address. An upgrade is never refused for a missing or invalid token.
 * @param context has the options of WebSocket: its groups, its timeout, no limit on batches.
 */
export const createWsApp = (context: RpcContext, options: WsOptions): WsApp => {
  const { authentication, clientOf, connectionsMax, inbound = createInboundLimits() } = options
  const { scheduler, reportError } = context
  const dispatcher = createDispatcher([...METHODS, ...CONNECTION_METHODS], context, WS_REPLIES)
  const hub = createSubscriptionHub(
    createFeeds(context),
    scheduler,
    context.observer,
    context.options.subscriptionsMax,
  )
  const sessions = new Set<OpenSession>()
  const parts: Parts = {
    scheduler,
    authentication,
    clientOf,
    connectionsMax,
    dispatcher,
    hub,
    inbound,
    reportError,
    sessions,
  }
  const refusedHost = createHostCheck(options.hostAllowlist, context.warn)
  const cors = createCors(options.corsOrigins, '--rpc-ws-cors-origins', context.warn)
  const refusedOrigin = (request: HostRequest): Response | undefined => {
    const origin = request.headers.get('origin')
    return origin !== null && options.isOwnOrigin?.(request, origin) ? undefined : cors.refuse(origin)
  }
  const route: Route = (request, peer) =>
    request.method === 'POST' && new URL(request.url).pathname === '/login'
      ? login(parts, request, peer)
      : NOT_HTTP()

  return {
    fetch: checkedRoute({ refusedHost, cors }, route),
    upgrade: (request, peer) =>
      refusedHost(request) ?? refusedOrigin(request) ?? grantUpgrade(parts, request, peer),
    get size() {
      return sessions.size
    },
    close: () => {
      for (const session of sessions) session.end(CLOSE_CODES.goingAway, 'The node is stopping')
    },
  }
}
