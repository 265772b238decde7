import type { Subscriptions } from '../subscriptions/subscriptions.ts'

/** What a request may do with the connection it came over, where that lasts. */
export type Connection = {
  readonly subscriptions: Subscriptions
  /** Milliseconds since 1970 at which the token ends that is the connection's from now on; undefined where it is not valid. */
  presentToken(token: string): Promise<number | undefined>
}
