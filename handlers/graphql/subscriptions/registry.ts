import { FetchError } from '../errors.ts'
import { createFeed, type Feed } from './feed.ts'

/** Maximum number of subscriptions of all clients: each receives every event. */
export const GRAPHQL_SUBSCRIPTIONS_MAX = 1_000

/** The open subscriptions. */
export type SubscriptionRegistry = {
  /** @throws FetchError when there are too many, or the node is stopping */
  open<T>(listen: (push: (event: T) => void) => () => void): Feed<T>
  /** Ends all subscriptions and refuses new ones. */
  close(): void
}

export const createSubscriptionRegistry = (): SubscriptionRegistry => {
  const open = new Set<{ readonly close: () => void }>()
  let closed = false
  return {
    open: <T>(listen: (push: (event: T) => void) => () => void): Feed<T> => {
      if (closed) throw new FetchError('The node is stopping')
      if (open.size >= GRAPHQL_SUBSCRIPTIONS_MAX)
        throw new FetchError(
          `The node serves ${GRAPHQL_SUBSCRIPTIONS_MAX} subscriptions already. Try again later.`,
        )
      const feed: Feed<T> = createFeed(listen, () => open.delete(feed))
      open.add(feed)
      return feed
    },
    close: () => {
      closed = true
      for (const feed of open) feed.close()
    },
  }
}
