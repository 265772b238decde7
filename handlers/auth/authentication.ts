import { type Caller, EVERYONE } from './caller.ts'
import { notEnabled } from './loginAnswers.ts'

/**
 * Where a request comes from, for limits and the audit log: an IP address. Asked for only when it is needed, since some
 * runtimes make one each time; make it with the `clientOf` of client.ts, which knows the trusted proxies.
 */
export type ClientAddress = () => string

/** Who a token, or the lack of one, stands for at this moment. Valid for the one request it was made for. */
export type Identity = Caller & {
  /**
   * True without a valid token where no method is open to everyone: HTTP answers 401 without reading the body (UNAUTHENTICATED of
   * the HTTP application), a WebSocket answers each message, as `permits` refuses every method.
   */
  readonly unauthenticated: boolean
  /** When the token ends, in milliseconds since 1970; undefined where there is no valid one. */
  readonly expiresAtMs: number | undefined
}

/**
 * The authentication of one port. HTTP and WebSocket have one each, with a key of its own, so that tokens of one are
 * nothing to the other; both come from runtime/auth/open.ts. GraphQL and metrics use the one of HTTP.
 *
 * A transport answers `POST /login` with `login`, and gets the caller that the dispatcher asks for with `identify`, from
 * the `Authorization` header as it came. `identify` is called again for each request and, on a WebSocket, for each
 * message: tokens that were verified are remembered until they expire, so it costs little and answers at once
 * (no promise) for all but the first. A bad token stands for somebody without rights. On a WebSocket use
 * connection.ts, which keeps the token of a connection, takes a new one, and ends its subscriptions.
 */
export type Authentication = {
  readonly login: (request: Request, client: ClientAddress) => Promise<Response>
  readonly identify: (authorization: string | null, client: ClientAddress) => Identity | Promise<Identity>
  /** Whether a token may come in Sec-WebSocket-Protocol, see subprotocol.ts. */
  readonly acceptsSubprotocol: boolean
  /** Milliseconds since 1970. */
  readonly nowMs: () => number
}

const ANYONE: Identity = { ...EVERYONE, unauthenticated: false, expiresAtMs: undefined }

/** Where authentication is off: everybody may do everything, and there is nothing to log in to. */
export const NO_AUTHENTICATION: Authentication = {
  login: () => Promise.resolve(notEnabled()),
  identify: () => ANYONE,
  acceptsSubprotocol: false,
  nowMs: () => 0,
}
