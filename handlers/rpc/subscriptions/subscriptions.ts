import { toQuantity } from '../../../core/bytes/hex.ts'
import { RpcError } from '../errors.ts'
import type { Scheduler } from '../../../core/scheduler.ts'
import type { LogFilter } from '../logs/filter.ts'
import { filterPrice } from '../logs/filterIndex.ts'
import type { RpcObserver } from '../observer.ts'
import type { Feeds } from './feeds.ts'
import { createLanes, type Listener } from './lanes.ts'

/** A pending transaction as its hash, with Besu's members, or as in eth_getTransactionByHash. */
export type PendingForm = 'hash' | 'detail' | 'transaction'

/** The topic of a subscription. */
export type Topic =
  | { readonly kind: 'newHeads'; readonly includeTransactions: boolean }
  | { readonly kind: 'logs'; readonly filter: LogFilter; readonly text: string }
  | { readonly kind: 'newPendingTransactions'; readonly form: PendingForm }
  | { readonly kind: 'droppedPendingTransactions' }
  | { readonly kind: 'syncing' }

/** Subscriptions of one connection: a page that watches each of its contracts has some hundreds. */
export const CONNECTION_SUBSCRIPTIONS_MAX = 1024

/** Characters of the log filters of one connection: some ten thousand addresses and topics, as of one eth_getLogs. */
const FILTER_TEXT_MAX = 1024 * 1024

/** Values and index entries of the log filters of all connections, each some 500 bytes: 125 MB. */
export const FILTERS_PRICE_MAX = 250_000

/** Part of it that is kept for connections with few filters: those with many never shut them out. */
const SMALL_FILTERS_PRICE_SUM = 80_000
const SMALL_FILTERS_PRICE = 1_000

/** Notifications held back until the id of the subscription is sent, as in a long batch. Beyond this all are sent at once. */
export const HELD_MAX = 1024

/** What a request may do with the subscriptions of its connection. */
export type Subscriptions = {
  /** Returns the id. @throws RpcError SUBSCRIPTIONS_TOO_MANY and similar ones */
  add(topic: Topic): string
  /** False if the connection has no subscription with that id. */
  remove(id: string): boolean
}

/** The subscriptions of one open connection. */
export type ConnectionSubscriptions = {
  readonly size: number
  /** For one request. `answered` is called after its answer was sent, which releases the notifications held back. */
  forRequest(): Subscriptions & { answered(): void }
  /** Ends all subscriptions. */
  clear(): void
}

/** What the filters of a subscription, or of all of a connection, take. */
type Size = { readonly textLength: number; readonly price: number }

type Open = Size & { readonly stop: () => void; readonly kind: Topic['kind'] }

export type SubscriptionHub = {
  /**
   * @param send sends a notification @param onOverrun called when more notifications wait than a connection may have waiting:
   * no more follow
   */
  connect(send: (notification: string) => void, onOverrun: () => void): ConnectionSubscriptions
}

const NO_FILTER: Size = { textLength: 0, price: 0 }

const sizeOf = (topic: Topic): Size =>
  topic.kind === 'logs' ? { textLength: topic.text.length, price: filterPrice(topic.filter) } : NO_FILTER

const sum = (one: Size, other: Size, sign: 1 | -1): Size => ({
  textLength: one.textLength + sign * other.textLength,
  price: one.price + sign * other.price,
})

/** Limits of all connections. */
const createTotals = (subscriptionsMax: number) => {
  let openCount = 0
  let price = 0
  return {
    /** @throws RpcError when there are too many subscriptions, or too large filters */
    requireRoom: (own: number, ofConnection: Size, size: Size): void => {
      if (own >= CONNECTION_SUBSCRIPTIONS_MAX || ofConnection.textLength > FILTER_TEXT_MAX)
        throw new RpcError('SUBSCRIPTIONS_TOO_MANY')
      if (openCount >= subscriptionsMax) throw new RpcError('SUBSCRIPTIONS_TOO_MANY_OPEN')
      const isSmall = ofConnection.price <= SMALL_FILTERS_PRICE
      const priceMax = FILTERS_PRICE_MAX - (isSmall ? 0 : SMALL_FILTERS_PRICE_SUM)
      if (size.price > 0 && price + size.price > priceMax) throw new RpcError('LOG_SUBSCRIPTIONS_TOO_MANY')
    },
    add: (size: Size, sign: 1 | -1): void => {
      openCount += sign
      price += sign * size.price
    },
  }
}

/** Holds the notifications of a subscription back until its id is answered. */
const createHolding = (send: (notification: string) => void, isOpen: () => boolean) => {
  let held: string[] | undefined = []
  const release = (): void => {
    const waiting = held ?? []
    held = undefined
    for (const notification of waiting) if (isOpen()) send(notification)
  }
  const sendOrHold = (notification: string): void => {
    if (held === undefined) return send(notification)
    held.push(notification)
    if (held.length >= HELD_MAX) release()
  }
  return { sendOrHold, release }
}

/** Besu's ids: one counter for the whole process. */
export const createSubscriptionHub = (
  feeds: Feeds,
  scheduler: Pick<Scheduler, 'createYield'>,
  observer?: Pick<RpcObserver, 'subscribed' | 'unsubscribed'>,
  subscriptionsMax = Number.POSITIVE_INFINITY,
): SubscriptionHub => {
  const lanes = createLanes(scheduler)
  const totals = createTotals(subscriptionsMax)
  let lastId = 0n

  return {
    connect: (send, onOverrun) => {
      const open = new Map<string, Open>()
      const lane = lanes.open(onOverrun)
      let ownSize = NO_FILTER

      const remove = (id: string): boolean => {
        const subscription = open.get(id)
        if (subscription === undefined) return false
        subscription.stop()
        ownSize = sum(ownSize, subscription, -1)
        totals.add(subscription, -1)
        observer?.unsubscribed(subscription.kind)
        return open.delete(id)
      }

      const add = (topic: Topic): { readonly id: string; readonly release: () => void } => {
        const size = sizeOf(topic)
        totals.requireRoom(open.size, sum(ownSize, size, 1), size)
        const id = toQuantity(++lastId)
        const { sendOrHold, release } = createHolding(send, () => open.has(id))
        const start = `{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"${id}","result":`
        const listener: Listener = { lane, notify: result => sendOrHold(`${start}${result}}}`) }
        open.set(id, { stop: feeds.listen(topic, listener), ...size, kind: topic.kind })
        ownSize = sum(ownSize, size, 1)
        totals.add(size, 1)
        observer?.subscribed(topic.kind)
        return { id, release }
      }

      return {
        get size() {
          return open.size
        },
        forRequest: () => {
          let releases: (() => void)[] | undefined
          return {
            add: topic => {
              const { id, release } = add(topic)
              releases ??= []
              releases.push(release)
              return id
            },
            remove,
            answered: () => {
              if (releases !== undefined) for (const release of releases.splice(0)) release()
            },
          }
        },
        clear: () => {
          for (const id of open.keys()) remove(id)
        },
      }
    },
  }
}
