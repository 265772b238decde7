/** Items taken from one peer before those of the next. */
const TURN_ITEMS = 16

export type QueueLimits = {
  /** Items of one peer. */
  readonly peerItemsMax: number
  /** Items and bytes of all peers together. */
  readonly itemsMax: number
  readonly bytesMax: number
}

type Queue<Item> = { readonly items: Item[]; bytes: number }

/** A bounded queue for each peer. The peers take turns, so that one that floods delays the others by TURN_ITEMS only. */
export type PeerQueues<Item> = {
  readonly limits: QueueLimits
  /** The bytes of an item that count for the limit. */
  readonly bytesOf: (item: Item) => number
  /** Called for each item that was dropped for an item of another peer. */
  readonly onDropped: (item: Item) => void
  /** In the order of their turns; without empty queues. */
  readonly byPeer: Map<string, Queue<Item>>
  size: number
  bytes: number
}

export const createPeerQueues = <Item>(
  limits: QueueLimits,
  bytesOf: (item: Item) => number,
  onDropped: (item: Item) => void,
): PeerQueues<Item> => ({ limits, bytesOf, onDropped, byPeer: new Map(), size: 0, bytes: 0 })

/** The peer with the longest queue. */
const longest = <Item>(
  { byPeer }: PeerQueues<Item>,
  lengthOf: (queue: Queue<Item>) => number,
): string | undefined => {
  let found: string | undefined
  let most = 0
  for (const [peer, queue] of byPeer) {
    if (lengthOf(queue) <= most) continue
    most = lengthOf(queue)
    found = peer
  }
  return found
}

const count = <Item>(queues: PeerQueues<Item>, queue: Queue<Item>, items: number, bytes: number): void => {
  queue.bytes += bytes
  queues.size += items
  queues.bytes += bytes
}

const dropLast = <Item>(queues: PeerQueues<Item>, peer: string): void => {
  const queue = queues.byPeer.get(peer)
  const item = queue?.items.pop()
  if (queue === undefined || item === undefined) return
  count(queues, queue, -1, -queues.bytesOf(item))
  if (queue.items.length === 0) queues.byPeer.delete(peer)
  queues.onDropped(item)
}

/** Drops items of the longest queues; false if the longest one is that of the peer itself. */
const dropLongest = <Item>(queues: PeerQueues<Item>, peer: string, itemBytes: number): boolean => {
  const { itemsMax, bytesMax } = queues.limits
  for (;;) {
    const hasTooMany = queues.size >= itemsMax
    if (!hasTooMany && queues.bytes + itemBytes <= bytesMax) return true
    const from = longest(queues, hasTooMany ? ({ items }) => items.length : ({ bytes }) => bytes)
    if (from === undefined || from === peer) return false
    dropLast(queues, from)
  }
}

/**
 * Appends an item to the queue of the peer. If all queues together are full, the longest one drops its last item. Returns
 * false if the queue of this peer is full or the longest: the item is not queued.
 */
export const enqueue = <Item>(queues: PeerQueues<Item>, peer: string, item: Item): boolean => {
  const { byPeer, limits, bytesOf } = queues
  const itemBytes = bytesOf(item)
  const length = byPeer.get(peer)?.items.length ?? 0
  if (length >= limits.peerItemsMax || !dropLongest(queues, peer, itemBytes)) return false
  const queue = byPeer.get(peer) ?? { items: [], bytes: 0 }
  byPeer.set(peer, queue)
  queue.items.push(item)
  count(queues, queue, 1, itemBytes)
  return true
}

/** Removes and returns up to `most` items: some of each peer in turn, those of one peer in their order of arrival. */
export const dequeue = <Item>(queues: PeerQueues<Item>, most: number): readonly Item[] => {
  const { byPeer, bytesOf } = queues
  const taken: Item[] = []
  while (taken.length < most) {
    const [next] = byPeer
    if (next === undefined) break
    const [peer, queue] = next
    for (const item of queue.items.splice(0, Math.min(TURN_ITEMS, most - taken.length))) {
      taken.push(item)
      count(queues, queue, -1, -bytesOf(item))
    }
    byPeer.delete(peer)
    if (queue.items.length > 0) byPeer.set(peer, queue)
  }
  return taken
}

/** Removes and returns all items. */
export const clearQueues = <Item>(queues: PeerQueues<Item>): readonly Item[] =>
  dequeue(queues, Number.POSITIVE_INFINITY)
