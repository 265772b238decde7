import { toQuantity } from '../../../core/bytes/hex.ts'
import { RpcError } from '../errors.ts'
import type { LogFilter } from '../logs/filter.ts'
import type { RpcObserver } from '../observer.ts'
import type { Feeds } from './feeds.ts'
import type { Listener } from './groups.ts'

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

/** Notifications held back until the id of the subscription is sent, as in a long batch. Beyond this all are sent at once. */
export const HELD_MAX = 1024

/** What a request may do with the subscriptions of its connection. */
export type Subscriptions = {
  /** Returns the id. @throws RpcError SUBSCRIPTIONS_TOO_MANY */
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

type Open = { readonly stop: () => void; readonly textLength: number; readonly kind: Topic['kind'] }

export type SubscriptionHub = {
  /** @param send sends a notification */
  connect(send: (notification: string) => void): ConnectionSubscriptions
}

/** @throws RpcError when a connection has too many subscriptions, or too long filters */
const requireRoom = (openCount: number, textLength: number): void => {
  if (openCount >= CONNECTION_SUBSCRIPTIONS_MAX || textLength > FILTER_TEXT_MAX)
    throw new RpcError('SUBSCRIPTIONS_TOO_MANY')
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
  observer?: Pick<RpcObserver, 'subscribed' | 'unsubscribed'>,
  subscriptionsMax = Number.POSITIVE_INFINITY,
): SubscriptionHub => {
  let lastId = 0n
  let openCount = 0

  return {
    connect: send => {
      const open = new Map<string, Open>()
      let textLength = 0

      const remove = (id: string): boolean => {
        const subscription = open.get(id)
        if (subscription === undefined) return false
        subscription.stop()
        textLength -= subscription.textLength
        openCount--
        observer?.unsubscribed(subscription.kind)
        return open.delete(id)
      }

      const add = (topic: Topic): { readonly id: string; readonly release: () => void } => {
        const length = topic.kind === 'logs' ? topic.text.length : 0
        requireRoom(open.size, textLength + length)
        if (openCount >= subscriptionsMax) throw new RpcError('SUBSCRIPTIONS_TOO_MANY_OPEN')
        const id = toQuantity(++lastId)
        const { sendOrHold, release } = createHolding(send, () => open.has(id))
        const start = `{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"${id}","result":`
        const listener: Listener = { notify: result => sendOrHold(`${start}${result}}}`) }
        open.set(id, { stop: feeds.listen(topic, listener), textLength: length, kind: topic.kind })
        openCount++
        observer?.subscribed(topic.kind)
        textLength += length
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
