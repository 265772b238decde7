import type { Authentication, ClientAddress, Identity } from './authentication.ts'
import type { Permission } from './caller.ts'

/** Time for which subscriptions continue after their token has expired, so that the client can present a new one. */
const SUBSCRIPTION_GRACE_MS = 60_000

/** Longest delay of a timer; a token may be valid for a century. */
const TIMER_MS_MAX = 2 ** 31 - 1

/** WebSocket-only method, open to everyone, that presents a token on an open connection. */
export const AUTHENTICATE_METHOD = 'rpc_authenticate'

const AUTHENTICATE: Permission = { name: AUTHENTICATE_METHOD, permission: 'rpc:authenticate' }

/** The permission of the WebSocket method, which is not in the table of methods. */
export const SUBSCRIBE: Permission = { name: 'eth_subscribe', permission: 'eth:subscribe' }

export type ConnectionOptions = {
  /** `Authorization` header of the upgrade, or its substitute (subprotocol.ts). */
  readonly authorization: string | null
  readonly client: ClientAddress
  /** Ends every subscription of the connection; the socket stays open. */
  readonly endSubscriptions: () => void
}

/** The token of one open connection. */
export type ConnectionAuthentication = {
  /** Identifies the caller of a message; called for each message. */
  readonly identify: () => Identity | Promise<Identity>
  /**
   * Implements `rpc_authenticate(token)`: a valid token replaces the previous one; returns its expiry in milliseconds since
   * 1970. An invalid token changes nothing; returns undefined, which is answered with -40100.
   */
  readonly present: (token: string) => Promise<number | undefined>
  /** The token that counts now, as an `Authorization` header. */
  readonly authorization: () => string | null
  /** The socket is closed. */
  readonly close: () => void
}

/**
 * Keeps the token of a connection. An upgrade is never refused because of its token. Subscriptions end SUBSCRIPTION_GRACE_MS
 * after the token has expired unless a new one is presented by then, or subscribing is open to everyone.
 */
export const createConnectionAuthentication = (
  authentication: Authentication,
  { authorization: first, client, endSubscriptions }: ConnectionOptions,
): ConnectionAuthentication => {
  let authorization = first
  let armedForMs: number | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let closed = false

  const end = async (): Promise<void> => {
    const identity = await authentication.identify(authorization, client)
    if (!closed && !identity.permits(SUBSCRIBE)) endSubscriptions()
  }

  const wait = (): void => {
    if (armedForMs === undefined || closed) return
    const leftMs = armedForMs + SUBSCRIPTION_GRACE_MS - authentication.nowMs()
    timer = setTimeout(() => (leftMs > TIMER_MS_MAX ? wait() : void end()), Math.min(leftMs, TIMER_MS_MAX))
  }

  /** Called with each message: a connection without a message has no subscription that could expire. */
  const watch = (identity: Identity): Identity => {
    const { expiresAtMs } = identity
    if (expiresAtMs !== undefined && expiresAtMs !== armedForMs) {
      clearTimeout(timer)
      armedForMs = expiresAtMs
      wait()
    }
    return identity
  }

  return {
    identify: () => {
      const identity = authentication.identify(authorization, client)
      return identity instanceof Promise ? identity.then(watch) : watch(identity)
    },
    present: async token => {
      const presented = `Bearer ${token}`
      const identity = await authentication.identify(presented, client)
      if (identity.expiresAtMs === undefined) {
        identity.denied(AUTHENTICATE)
        return undefined
      }
      authorization = presented
      watch(identity)
      if (!identity.permits(SUBSCRIBE)) endSubscriptions()
      return identity.expiresAtMs
    },
    authorization: () => authorization,
    close: () => {
      closed = true
      clearTimeout(timer)
    },
  }
}
