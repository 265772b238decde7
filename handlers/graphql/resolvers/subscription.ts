import type { GraphQLFieldResolver, GraphQLResolveInfo } from 'graphql'
import type { PooledTransaction } from '../../../core/txpool/pool.ts'
import { requirePool } from '../../rpc/dispatch/forwarding.ts'
import { createScope, type GraphqlContext, type RequestScope } from '../context.ts'
import { permissionOfField } from '../permissions.ts'
import { mapFeed } from '../subscriptions/feed.ts'
import type { SubscriptionRegistry } from '../subscriptions/registry.ts'
import { createTurns } from '../subscriptions/turns.ts'
import { findLogs, type LogCriteria } from './log.ts'
import { pooledSource } from './query.ts'
import { readBlock } from './sources.ts'

type Args = { readonly filter?: LogCriteria | null }

type SubscriptionResolver = {
  readonly subscribe: GraphQLFieldResolver<unknown, GraphqlContext, Args>
  readonly resolve: (event: unknown) => unknown
}

/** A source of events, and their conversion for the client. */
type Topic<T> = {
  readonly listen: (context: GraphqlContext, push: (event: T) => void) => () => void
  readonly map: (
    event: T,
    scope: RequestScope,
    args: Args,
    info: GraphQLResolveInfo,
  ) => Promise<readonly unknown[]>
}

/** Each new block: the head of a reader may move by many of them at once. */
const listenToHeads: Topic<bigint>['listen'] = ({ parts }, push) => {
  const { chain } = parts.rpc
  let last = chain.head().header.number
  return chain.onHead(({ header }) => {
    // A development chain goes back.
    if (header.number <= last) last = header.number - 1n
    while (last < header.number) push(++last)
  })
}

const NEW_HEADS: Topic<bigint> = {
  listen: listenToHeads,
  map: async (number, scope, _, info) => [await readBlock(scope, { kind: 'number', number }, info)],
}

const LOGS: Topic<bigint> = {
  listen: listenToHeads,
  map: (number, scope, { filter }, info) => findLogs(scope, filter ?? {}, number, number, info),
}

const PENDING_TRANSACTIONS: Topic<PooledTransaction> = {
  listen: ({ parts }, push) => {
    requirePool(parts.rpc)
    return parts.rpc.pool.onAdded(push)
  },
  map: pooled => Promise.resolve([pooledSource(pooled)]),
}

/** The subscriptions; each event is executed as a request of its own, without the caches of the one before. */
export const subscriptionResolvers = (
  registry: SubscriptionRegistry,
): Readonly<Record<string, SubscriptionResolver>> => {
  const turns = createTurns()
  const subscription = <T>({ listen, map }: Topic<T>): SubscriptionResolver => ({
    subscribe: (_, args, context, info) => {
      const needed = permissionOfField('Subscription', info.fieldName)
      if (needed !== undefined) context.scope.require(needed)
      const feed = registry.open<T>(push => listen(context, push))
      return mapFeed(feed, async event => {
        if (context.parts.expired()) return undefined
        context.scope = createScope(context.parts)
        const { scope } = context
        return await turns(() => map(event, scope, args, info))
      })
    },
    resolve: event => event,
  })
  return {
    newHeads: subscription(NEW_HEADS),
    logs: subscription(LOGS),
    pendingTransactions: subscription(PENDING_TRANSACTIONS),
  }
}
