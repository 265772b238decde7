import type { PoolOptions } from './admission.ts'
import { evictionOrder } from './evictionOrder.ts'
import { createHeap, type Heap, NOT_IN_HEAP } from './heap.ts'
import { LATE_SENDERS_MAX, POOL_UNKNOWN_SENDERS_SHARE, type PoolShare, shareOf } from './limits.ts'
import type { PoolAccount } from './pool.ts'
import { appendEntry, nonceIndex, type PoolEntry, refresh, type SenderQueue } from './senderQueue.ts'

/** The content of the pool, and the sums that its limits apply to. */
export type PoolState = {
  readonly options: PoolOptions
  /** In order of arrival. */
  readonly byHash: Map<string, PoolEntry>
  readonly bySender: Map<string, SenderQueue>
  /** Senders whose first transaction is executable: the only ones that the block builder visits. */
  readonly runnable: Set<SenderQueue>
  /** The known senders that became runnable last: a ring, in which number n has the index n % LATE_SENDERS_MAX. */
  readonly arrivals: SenderQueue[]
  /** The number of known senders that became runnable since the pool was created. */
  arrivalCount: number
  /**
   * Wei that executable transactions pay each account. A payment counts only if the sender's balance in the state covers
   * it, not other pending payments, so that a circle of payments cannot support itself.
   */
  readonly incoming: Map<string, bigint>
  readonly evictions: Heap<SenderQueue>
  readonly unknownShare: PoolShare
  readonly senderShare: PoolShare
  /** Recipients whose incoming payments changed since they were last settled. */
  readonly changedRecipients: Set<string>
  bytes: number
  unknownTransactions: number
  unknownBytes: number
}

export const createPoolState = (options: PoolOptions): PoolState => ({
  options,
  byHash: new Map(),
  bySender: new Map(),
  runnable: new Set(),
  arrivals: [],
  arrivalCount: 0,
  incoming: new Map(),
  evictions: createHeap(evictionOrder(options)),
  unknownShare: shareOf(options.limits, POOL_UNKNOWN_SENDERS_SHARE),
  senderShare: shareOf(options.limits, options.senderShare),
  changedRecipients: new Set(),
  bytes: 0,
  unknownTransactions: 0,
  unknownBytes: 0,
})

export const incomingOf = (state: PoolState, senderKey: string): bigint => state.incoming.get(senderKey) ?? 0n

/** Adds the payment of an entry to its recipient's incoming wei, or removes it. */
const setPaysRecipient = (state: PoolState, entry: PoolEntry, pays: boolean): void => {
  const { recipientKey } = entry
  if (entry.paysRecipient === pays) return
  entry.paysRecipient = pays
  if (recipientKey === undefined) return
  const { value } = entry.transaction
  const wei = incomingOf(state, recipientKey) + (pays ? value : -value)
  if (wei > 0n) state.incoming.set(recipientKey, wei)
  else state.incoming.delete(recipientKey)
  if (state.bySender.has(recipientKey)) state.changedRecipients.add(recipientKey)
}

const release = (state: PoolState, entry: PoolEntry): void => {
  setPaysRecipient(state, entry, false)
  state.byHash.delete(entry.key)
  state.bytes -= entry.transaction.encoded.length
}

const setRunnable = (state: PoolState, queue: SenderQueue): void => {
  if (queue.payable === 0) state.runnable.delete(queue)
  else if (!state.runnable.has(queue)) {
    state.runnable.add(queue)
    if (queue.isKnown) state.arrivals[state.arrivalCount++ % LATE_SENDERS_MAX] = queue
  }
}

/** Updates the fields of the state that depend on the counts of a queue. */
const syncQueue = (state: PoolState, queue: SenderQueue, inState: boolean): void => {
  queue.isKnown = inState || incomingOf(state, queue.key) > 0n
  setRunnable(state, queue)
  const transactions = queue.isKnown ? 0 : queue.entries.length
  const bytes = queue.isKnown ? 0 : queue.bytes
  state.unknownTransactions += transactions - queue.unknownTransactions
  state.unknownBytes += bytes - queue.unknownBytes
  queue.unknownTransactions = transactions
  queue.unknownBytes = bytes
  if (queue.entries.length === 0) {
    state.bySender.delete(queue.key)
    if (queue.heapIndex !== NOT_IN_HEAP) state.evictions.remove(queue)
  } else if (queue.heapIndex === NOT_IN_HEAP) {
    state.bySender.set(queue.key, queue)
    state.evictions.push(queue)
  } else state.evictions.moved(queue)
}

const isInState = ({ accountNonce, balance }: SenderQueue): boolean => accountNonce > 0n || balance > 0n

/** Must be called after any change of a queue's entries, nonce or balance. */
const settle = (state: PoolState, queue: SenderQueue): void => {
  refresh(queue, incomingOf(state, queue.key))
  const { entries, funded } = queue
  for (let index = 0; index < entries.length; index++)
    setPaysRecipient(state, entries[index] as PoolEntry, index < funded)
  syncQueue(state, queue, isInState(queue))
}

/** Must be called at the end of each change of the pool, which may change the payments that senders receive. */
export const settleRecipients = (state: PoolState): void => {
  for (const key of state.changedRecipients) {
    const queue = state.bySender.get(key)
    if (queue === undefined) continue
    // A sender whose balance in the state covers all its transactions does not depend on incoming payments. Its own
    // payments do not either (see `incoming`), so no further recipients change.
    if (queue.funded < queue.ready) refresh(queue, incomingOf(state, key))
    syncQueue(state, queue, isInState(queue))
  }
  state.changedRecipients.clear()
}

/** Adds an entry with a nonce that the queue does not have. */
export const insert = (state: PoolState, queue: SenderQueue, entry: PoolEntry): void => {
  state.byHash.set(entry.key, entry)
  state.bytes += entry.transaction.encoded.length
  const index = nonceIndex(queue, entry.transaction.nonce)
  if (index < queue.entries.length) {
    queue.entries.splice(index, 0, entry)
    settle(state, queue)
    return
  }
  appendEntry(queue, entry, incomingOf(state, queue.key))
  setPaysRecipient(state, entry, index < queue.funded)
  syncQueue(state, queue, isInState(queue))
}

/** Replaces an entry by another of the same nonce. */
export const replace = (state: PoolState, queue: SenderQueue, old: PoolEntry, entry: PoolEntry): void => {
  queue.entries[nonceIndex(queue, old.transaction.nonce)] = entry
  release(state, old)
  state.byHash.set(entry.key, entry)
  state.bytes += entry.transaction.encoded.length
  settle(state, queue)
}

export const removeEntry = (state: PoolState, entry: PoolEntry, queue: SenderQueue): void => {
  queue.entries.splice(nonceIndex(queue, entry.transaction.nonce), 1)
  release(state, entry)
  settle(state, queue)
}

/** Drops the sender's transaction of the highest nonce, and returns it. */
export const dropLast = (state: PoolState, queue: SenderQueue): PoolEntry => {
  const entry = queue.entries.pop() as PoolEntry
  release(state, entry)
  settle(state, queue)
  return entry
}

/** Updates nonce and balance of the account. Drops the entries of used nonces, and returns them. */
export const updateAccount = (
  state: PoolState,
  queue: SenderQueue,
  { nonce: accountNonce, balance }: Pick<PoolAccount, 'nonce' | 'balance'>,
): readonly PoolEntry[] => {
  if (accountNonce === queue.accountNonce && balance === queue.balance) return []
  queue.accountNonce = accountNonce
  queue.balance = balance
  const stale = queue.entries.splice(0, nonceIndex(queue, accountNonce))
  for (const entry of stale) release(state, entry)
  settle(state, queue)
  return stale
}

const isOverfull = (state: PoolState): boolean =>
  state.byHash.size > state.options.limits.transactionsMax ||
  state.bytes > state.options.limits.bytesMax ||
  state.unknownTransactions > state.unknownShare.transactionsMax ||
  state.unknownBytes > state.unknownShare.bytesMax

/** Part of the room for unknown senders in use: of its transactions or of its bytes, whichever is more. */
export const unknownShareUsed = ({ unknownTransactions, unknownBytes, unknownShare }: PoolState): number =>
  Math.max(unknownTransactions / unknownShare.transactionsMax, unknownBytes / unknownShare.bytesMax)

/** Drops last entries of the first queue in the eviction order until the pool is within its limits; returns them. */
export const evict = (state: PoolState): readonly PoolEntry[] => {
  const evicted: PoolEntry[] = []
  // Unknown senders are first in the order, so this also reduces them to their share.
  while (isOverfull(state)) evicted.push(dropLast(state, state.evictions.peek() as SenderQueue))
  return evicted
}
