import type { Address, Hash } from '../bytes/bytes.ts'
import { toBareHex } from '../bytes/hex.ts'
import { admit, checkReplacement, type PoolOptions } from './admission.ts'
import { createCandidates } from './candidates.ts'
import { explainDeferred, explainDropped, explainEntry } from './explain.ts'
import { createHeap } from './heap.ts'
import { createOverruns } from './overruns.ts'
import type { PooledTransaction, PoolHead, PoolOrigin, TransactionPool } from './pool.ts'
import { TransactionRejected } from './rejection.ts'
import {
  createSenderQueue,
  entryAtNonce,
  evictedBefore,
  insertEntry,
  nonceIndex,
  type PoolEntry,
  refresh,
  type SenderQueue,
} from './senderQueue.ts'

const LOCAL: PoolOrigin = { local: true, addedAtMs: 0 }

type Listener = (transaction: PooledTransaction) => void

const subscribe = (listeners: Set<Listener>, listener: Listener): (() => void) => {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

/** An empty pool. Admission follows Besu's order of checks (see admission.ts). */
export const createTransactionPool = (options: PoolOptions): TransactionPool => {
  const { transactionsMax, bytesMax } = options.limits
  const byHash = new Map<string, PoolEntry>()
  const bySender = new Map<string, SenderQueue>()
  const evictions = createHeap(evictedBefore)
  const added = new Set<Listener>()
  const dropped = new Set<Listener>()
  const overruns = createOverruns()
  let bytes = 0
  let sequence = 0

  const forget = (entry: PoolEntry): void => {
    byHash.delete(entry.key)
    bytes -= entry.transaction.encoded.length
  }

  const tellDropped = (entries: readonly PoolEntry[]): void => {
    for (const entry of entries) for (const listener of dropped) listener(entry)
  }

  /** After a queue lost entries. */
  const settle = (queue: SenderQueue): void => {
    if (queue.entries.length === 0) {
      bySender.delete(queue.key)
      evictions.remove(queue)
      return
    }
    refresh(queue)
    evictions.moved(queue)
  }

  const overfull = (): boolean => byHash.size > transactionsMax || bytes > bytesMax

  /** Drops the last entry of the worst queue until the pool is within its bounds. */
  const evict = (): PoolEntry[] => {
    const gone: PoolEntry[] = []
    while (overfull()) {
      const queue = evictions.peek() as SenderQueue
      const entry = queue.entries.pop() as PoolEntry
      forget(entry)
      settle(queue)
      gone.push(entry)
    }
    return gone
  }

  const put = (queue: SenderQueue, entry: PoolEntry): void => {
    byHash.set(entry.key, entry)
    bytes += entry.transaction.encoded.length
    if (queue.entries.length === 0) {
      bySender.set(queue.key, queue)
      insertEntry(queue, entry)
      evictions.push(queue)
    } else {
      insertEntry(queue, entry)
      evictions.moved(queue)
    }
  }

  /** Takes the account nonce of a new head over; gives what is stale now. */
  const advance = (queue: SenderQueue, accountNonce: bigint): PoolEntry[] => {
    if (accountNonce === queue.accountNonce) return []
    queue.accountNonce = accountNonce
    const stale = queue.entries.splice(0, nonceIndex(queue, accountNonce))
    for (const entry of stale) forget(entry)
    settle(queue)
    return stale
  }

  const requireTurn = (hash: Hash, sender: Address, nowMs: number): void => {
    const untilMs = overruns.waitsUntilMs(sender, nowMs)
    if (untilMs === undefined && overruns.of(hash)?.isDropped !== true) return
    throw new TransactionRejected(
      'SENDER_WAITS',
      untilMs === undefined
        ? 'this transaction ran twice for longer than a block has time'
        : `a transaction of this sender ran twice for longer than a block has time; try again in ${Math.ceil((untilMs - nowMs) / 1000)} seconds`,
    )
  }

  const dropSender = (sender: Address): void => {
    const queue = bySender.get(toBareHex(sender))
    if (queue === undefined) return
    const entries = queue.entries.splice(0)
    for (const entry of entries) forget(entry)
    settle(queue)
    tellDropped(entries)
  }

  const add = (
    { transaction, sender }: { transaction: PoolEntry['transaction']; sender: Address },
    head: PoolHead,
    origin: PoolOrigin = LOCAL,
  ): void => {
    const key = toBareHex(transaction.hash)
    if (byHash.has(key))
      throw new TransactionRejected('ALREADY_KNOWN', 'the same transaction is in the pool already')
    requireTurn(transaction.hash, sender, origin.addedAtMs)
    const accountNonce = admit(transaction, sender, head, origin, options)
    // Nothing above this line has changed anything: reading the state may have thrown.
    const senderKey = toBareHex(sender)
    const queue = bySender.get(senderKey) ?? createSenderQueue(sender, senderKey, accountNonce)
    tellDropped(advance(queue, accountNonce))
    const entry: PoolEntry = { transaction, sender, ...origin, key, sequence: sequence++ }
    const replaced = entryAtNonce(queue, transaction.nonce)
    if (replaced !== undefined) {
      checkReplacement(replaced.transaction, transaction, options)
      queue.entries[nonceIndex(queue, transaction.nonce)] = entry
      forget(replaced)
      byHash.set(key, entry)
      bytes += transaction.encoded.length
      settle(queue)
      tellDropped([replaced])
    } else put(queue, entry)
    const evicted = evict()
    if (!byHash.has(key)) {
      tellDropped(evicted.filter(other => other !== entry))
      throw new TransactionRejected(
        'POOL_FULL',
        `${transactionsMax} transactions or ${bytesMax} bytes are waiting, and all pay more or come sooner; pay more or try later`,
      )
    }
    tellDropped(evicted)
    for (const listener of added) listener(entry)
  }

  const remove = (entry: PoolEntry): void => {
    const queue = bySender.get(toBareHex(entry.sender)) as SenderQueue
    queue.entries.splice(nonceIndex(queue, entry.transaction.nonce), 1)
    forget(entry)
    settle(queue)
  }

  const list = (): PooledTransaction[] => [...bySender.values()].flatMap(queue => queue.entries)

  return {
    limits: options.limits,
    add,
    get: hash => byHash.get(toBareHex(hash)),
    nextNonce: sender => {
      const queue = bySender.get(toBareHex(sender))
      return queue === undefined || queue.ready === 0 ? undefined : queue.accountNonce + BigInt(queue.ready)
    },
    candidates: head => createCandidates(bySender.values(), head, hash => overruns.of(hash) !== undefined),
    removeMined: (transactions, head) => {
      const mined = new Set<string>()
      const touched = new Map<string, SenderQueue>()
      // An EIP-7702 authorization raises nonces of accounts that sent nothing, so any sender may be concerned.
      const anySender = transactions.some(({ transaction }) => transaction.type === 4)
      for (const { transaction, sender } of transactions) {
        const key = toBareHex(sender)
        const queue = bySender.get(key)
        if (queue === undefined) continue
        mined.add(toBareHex(transaction.hash))
        touched.set(key, queue)
      }
      for (const queue of anySender ? [...bySender.values()] : touched.values())
        tellDropped(advance(queue, head.nonce(queue.sender)).filter(entry => !mined.has(entry.key)))
    },
    remove: hash => {
      const entry = byHash.get(toBareHex(hash))
      if (entry === undefined) return
      remove(entry)
      tellDropped([entry])
    },
    get size() {
      return byHash.size
    },
    get bytes() {
      return bytes
    },
    list,
    ofSender: sender => {
      const queue = bySender.get(toBareHex(sender))
      return queue === undefined
        ? { transactions: [], ready: 0 }
        : { transactions: [...queue.entries], ready: queue.ready }
    },
    counts: () => {
      let ready = 0
      for (const queue of bySender.values()) ready += queue.ready
      return { ready, queued: byHash.size - ready }
    },
    explain: (hash, head) => {
      const entry = byHash.get(toBareHex(hash))
      const overrun = overruns.of(hash)
      if (entry === undefined) return overrun?.isDropped === true ? explainDropped(overrun) : undefined
      if (overrun !== undefined) return explainDeferred(overrun)
      return explainEntry(bySender.get(toBareHex(entry.sender)) as SenderQueue, entry, head)
    },
    noteOverrun: ({ transaction, sender }, reason, nowMs) => {
      const overrun = overruns.note(transaction.hash, sender, reason, nowMs)
      if (overrun.isDropped) dropSender(sender)
      return overrun
    },
    isDeferred: hash => overruns.of(hash) !== undefined,
    onAdded: listener => subscribe(added, listener),
    onDropped: listener => subscribe(dropped, listener),
  }
}
