import type { Subscriptions } from './subscriptions/subscriptions.ts'

/** The WebSocket connection of a request. */
export type Connection = {
  readonly subscriptions: Subscriptions
  /** Replaces the token of the connection; returns its expiry in milliseconds since 1970, or undefined for an invalid one. */
  presentToken(token: string): Promise<number | undefined>
}
