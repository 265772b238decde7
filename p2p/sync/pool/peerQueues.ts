/** Items of one peer that are taken before the next peer has its turn. */
const TURN_ITEMS = 16

export type QueueLimits = {
  /** Items of one peer. */
  readonly ofPeerMax: number
  /** Items and bytes of all peers together. */
  readonly itemsMax: number
  readonly bytesMax: number
}

/** What waits, in a bounded queue for each peer. The peers take turns: one that floods delays the others by a turn. */
export type PeerQueues<Item> = {
  readonly size: number
  /**
   * Appends an item to the peer's queue. Where all queues together are full, the longest gives up its last item; returns
   * false where that is the queue of this peer, or where its queue is full: the item is not appended then.
   */
  put(peer: string, item: Item): boolean
  /** Removes the next items and returns them: some of each peer in turn, each peer's in the order that they came. */
  take(count: number): readonly Item[]
  /** Removes everything and returns it. */
  clear(): readonly Item[]
}

type Queue<Item> = { items: Item[]; bytes: number }

/**
 * @param bytesOf the bytes of an item that count for the limit
 * @param onDropped told of each item that gave way to one of another peer
 */
export const createPeerQueues = <Item>(
  { ofPeerMax, itemsMax, bytesMax }: QueueLimits,
  bytesOf: (item: Item) => number,
  onDropped: (item: Item) => void,
): PeerQueues<Item> => {
  /** In the order of their turns; a queue without items is removed. */
  const queues = new Map<string, Queue<Item>>()
  let size = 0
  let bytes = 0

  const longest = (lengthOf: (queue: Queue<Item>) => number): string | undefined => {
    let found: string | undefined
    let most = 0
    for (const [peer, queue] of queues) {
      if (lengthOf(queue) <= most) continue
      most = lengthOf(queue)
      found = peer
    }
    return found
  }

  const count = (queue: Queue<Item>, items: number, itemBytes: number): void => {
    queue.bytes += itemBytes
    size += items
    bytes += itemBytes
  }

  const dropLast = (peer: string): void => {
    const queue = queues.get(peer)
    const item = queue?.items.pop()
    if (queue === undefined || item === undefined) return
    count(queue, -1, -bytesOf(item))
    if (queue.items.length === 0) queues.delete(peer)
    onDropped(item)
  }

  const makeRoom = (peer: string, itemBytes: number): boolean => {
    for (;;) {
      const isCrowded = size >= itemsMax
      if (!isCrowded && bytes + itemBytes <= bytesMax) return true
      const from = isCrowded ? longest(({ items }) => items.length) : longest(queue => queue.bytes)
      if (from === undefined || from === peer) return false
      dropLast(from)
    }
  }

  return {
    get size() {
      return size
    },
    put: (peer, item) => {
      const itemBytes = bytesOf(item)
      if ((queues.get(peer)?.items.length ?? 0) >= ofPeerMax || !makeRoom(peer, itemBytes)) return false
      const queue = queues.get(peer) ?? { items: [], bytes: 0 }
      queues.set(peer, queue)
      queue.items.push(item)
      count(queue, 1, itemBytes)
      return true
    },
    take: most => {
      const taken: Item[] = []
      while (taken.length < most) {
        const [next] = queues
        if (next === undefined) break
        const [peer, queue] = next
        const turn = queue.items.splice(0, Math.min(TURN_ITEMS, most - taken.length))
        for (const item of turn) {
          taken.push(item)
          count(queue, -1, -bytesOf(item))
        }
        queues.delete(peer)
        if (queue.items.length > 0) queues.set(peer, queue)
      }
      return taken
    },
    clear: () => {
      const left = [...queues.values()].flatMap(({ items }) => items)
      queues.clear()
      size = 0
      bytes = 0
      return left
    },
  }
}
