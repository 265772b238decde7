import type { RpcHost } from '../context.ts'
import { createHeadFeed } from './headFeed.ts'
import type { Listener } from './lanes.ts'
import { createLogFeed } from './logFeed.ts'
import { createPoolFeed } from './poolFeed.ts'
import type { Topic } from './subscriptions.ts'
import { createSyncFeed } from './syncFeed.ts'

/** The feeds of all topics. */
export type Feeds = {
  /** Returns the function that ends it. */
  listen(topic: Topic, listener: Listener): () => void
}

/** The feeds listen to the chain and the pool only while they have listeners themselves. */
export const createFeeds = (host: RpcHost): Feeds => {
  const heads = createHeadFeed(host)
  const logs = createLogFeed(host)
  const pool = createPoolFeed(host)
  const sync = createSyncFeed(host)
  host.development?.onRewind(rewound => {
    heads.rewind(rewound)
    logs.rewind(rewound)
  })
  return {
    listen: (topic, listener) => {
      switch (topic.kind) {
        case 'newHeads':
          return heads.listen(topic.includeTransactions, listener)
        case 'logs':
          return logs.listen(topic.filter, topic.text, listener)
        case 'newPendingTransactions':
          return pool.added(topic.form, listener)
        case 'droppedPendingTransactions':
          return pool.dropped(listener)
        case 'syncing':
          return sync.listen(listener)
      }
    },
  }
}
