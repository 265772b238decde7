import { type Caller, EVERYONE } from './caller.ts'
import { notEnabled } from './login/loginAnswers.ts'

/**
 * Returns the IP address of the client, for limits and the audit log. A function, because some runtimes compute the address at
 * each call; created with the `clientOf` of client.ts, which knows the trusted proxies.
 */
export type ClientAddress = () => string

/** The caller that a token, or the lack of one, identifies. Valid for one request. */
export type Identity = Caller & {
  /**
   * True without a valid token where no method is open to everyone: HTTP answers 401 without reading the body; a WebSocket
   * answers each message, and `permits` refuses every method.
   */
  readonly unauthenticated: boolean
  /** Expiry of the token, in milliseconds since 1970; undefined without a valid token. */
  readonly expiresAtMs: number | undefined
  /** Who is counted by a limit of requests; undefined counts the address. */
  readonly user?: string | undefined
}

/**
 * The authentication of one port. HTTP and WebSocket have one each, with a key of its own, so that a token is valid on one of
 * them only; both are opened by runtime/auth/open.ts. GraphQL and metrics use that of HTTP.
 *
 * A transport answers `POST /login` with `login`, and passes the `Authorization` header to `identify` to get the caller.
 * `identify` is called for each request and, on a WebSocket, for each message: verified tokens are remembered until they
 * expire, so only the first call with a token returns a promise. An invalid token identifies a caller without permissions. On
 * a WebSocket use connection.ts, which keeps the token of a connection, accepts a new one, and ends its subscriptions.
 */
export type Authentication = {
  readonly login: (request: Request, client: ClientAddress) => Promise<Response>
  readonly identify: (authorization: string | null, client: ClientAddress) => Identity | Promise<Identity>
  /** Whether a token may come in Sec-WebSocket-Protocol, see subprotocol.ts. */
  readonly acceptsSubprotocol: boolean
  /** Milliseconds since 1970. */
  readonly nowMs: () => number
}

const ANYONE: Identity = { ...EVERYONE, unauthenticated: false, expiresAtMs: undefined, user: undefined }

/** Used where authentication is off: everything is permitted, and logins are refused. */
export const NO_AUTHENTICATION: Authentication = {
  login: () => Promise.resolve(notEnabled()),
  identify: () => ANYONE,
  acceptsSubprotocol: false,
  nowMs: () => 0,
}
