import type { Address, Hash } from '../bytes/bytes.ts'
import { toBareHex } from '../bytes/hex.ts'
import type { SenderTransaction } from '../block/transaction.ts'
import { admit, checkReplacement, type PoolOptions } from './admission.ts'
import { createCandidates } from './candidates.ts'
import { expectedCost, upfrontCost } from './cost.ts'
import { explainDeferred, explainDropped, explainEntry } from './explain.ts'
import { checkFunds } from './funds.ts'
import { shareOf } from './limits.ts'
import { createOverruns } from './overruns.ts'
import type { PooledTransaction, PoolHead, PoolOrigin, TransactionPool } from './pool.ts'
import {
  createPoolState,
  dropLast,
  evict,
  incomingOf,
  insert,
  removeEntry,
  replace,
  settleRecipients,
  updateAccount,
} from './poolState.ts'
import { TransactionRejected } from './rejection.ts'
import { createSenderQueue, entryAtNonce, type PoolEntry, type SenderQueue } from './senderQueue.ts'

const LOCAL: PoolOrigin = { local: true, addedAtMs: 0 }

type Listener = (transaction: PooledTransaction) => void

const subscribe = (listeners: Set<Listener>, listener: Listener): (() => void) => {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

const entryOf = (
  { transaction, sender }: SenderTransaction,
  origin: PoolOrigin,
  baseFeePerGas: bigint | undefined,
  keys: { readonly key: string; readonly senderKey: string },
  sequence: number,
): PoolEntry => {
  const { to, value } = transaction
  const recipientKey = to === undefined || value === 0n ? undefined : toBareHex(to)
  return {
    transaction,
    sender,
    ...origin,
    key: keys.key,
    sequence,
    upfrontCost: upfrontCost(transaction),
    expectedCost: expectedCost(transaction, baseFeePerGas),
    recipientKey: recipientKey === keys.senderKey ? undefined : recipientKey,
    paysRecipient: false,
  }
}

/** An empty pool. Admission follows Besu's order of checks (see admission.ts). */
export const createTransactionPool = (options: PoolOptions): TransactionPool => {
  const { limits } = options
  const senderShare = shareOf(limits, options.senderShare)
  const state = createPoolState(options)
  const { byHash, bySender } = state
  const added = new Set<Listener>()
  const dropped = new Set<Listener>()
  const overruns = createOverruns()
  let sequence = 0
  let walk = bySender.values()

  const tellDropped = (entries: readonly PoolEntry[]): void => {
    for (const entry of entries) for (const listener of dropped) listener(entry)
  }

  /** Keeps one sender within its share of the pool; a lower nonce takes the place of its last one. @throws TransactionRejected */
  const makeRoomInShare = (queue: SenderQueue, { transaction }: SenderTransaction): readonly PoolEntry[] => {
    const { transactionsMax, bytesMax } = senderShare
    let kept = queue.entries.length
    let bytes = queue.bytes + transaction.encoded.length
    while (kept > 0 && (kept >= transactionsMax || bytes > bytesMax)) {
      const { transaction: last } = queue.entries[--kept] as PoolEntry
      bytes -= last.encoded.length
      if (transaction.nonce > last.nonce)
        throw new TransactionRejected(
          'SENDER_LIMIT_REACHED',
          `one sender may have ${transactionsMax} transactions or ${bytesMax} bytes in the pool (--tx-pool-limit-by-account-percentage)`,
        )
    }
    const gone: PoolEntry[] = []
    while (queue.entries.length > kept) gone.push(dropLast(state, queue))
    return gone
  }

  const put = (queue: SenderQueue, entry: PoolEntry): void => {
    const replaced = entryAtNonce(queue, entry.transaction.nonce)
    if (replaced === undefined) {
      const gone = makeRoomInShare(queue, entry)
      insert(state, queue, entry)
      tellDropped(gone)
    } else {
      checkReplacement(replaced.transaction, entry.transaction, options)
      replace(state, queue, replaced, entry)
      tellDropped([replaced])
    }
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
    const gone: PoolEntry[] = []
    while (queue.entries.length > 0) gone.push(dropLast(state, queue))
    settleRecipients(state)
    tellDropped(gone)
  }

  const add = (sent: SenderTransaction, head: PoolHead, origin: PoolOrigin = LOCAL): void => {
    const { transaction, sender } = sent
    const key = toBareHex(transaction.hash)
    if (byHash.has(key))
      throw new TransactionRejected('ALREADY_KNOWN', 'the same transaction is in the pool already')
    requireTurn(transaction.hash, sender, origin.addedAtMs)
    const accountNonce = admit(transaction, sender, head, origin, options)
    const balance = head.balance(sender)
    // Nothing above this line has changed anything: reading the state may have thrown.
    const senderKey = toBareHex(sender)
    const pooled = bySender.get(senderKey)
    if (pooled !== undefined) tellDropped(updateAccount(state, pooled, accountNonce, balance))
    settleRecipients(state)
    const queue = bySender.get(senderKey) ?? createSenderQueue(sender, senderKey)
    queue.accountNonce = accountNonce
    queue.balance = balance
    if (options.balanceCheck) checkFunds(transaction, queue, balance + incomingOf(state, senderKey))
    const entry = entryOf(sent, origin, head.nextBaseFeePerGas, { key, senderKey }, sequence++)
    put(queue, entry)
    settleRecipients(state)
    const evicted = evict(state)
    settleRecipients(state)
    if (!byHash.has(key)) {
      tellDropped(evicted.filter(other => other !== entry))
      throw new TransactionRejected(
        'POOL_FULL',
        `${limits.transactionsMax} transactions or ${limits.bytesMax} bytes are waiting, or a tenth of that of senders without nonce and balance, and all pay more or come sooner; pay more or try later`,
      )
    }
    tellDropped(evicted)
    for (const listener of added) listener(entry)
  }

  const drop = (entry: PoolEntry): void => {
    removeEntry(state, entry, bySender.get(toBareHex(entry.sender)) as SenderQueue)
    settleRecipients(state)
    tellDropped([entry])
  }

  const update = (keys: Iterable<string>, head: PoolHead, mined: ReadonlySet<string>): void => {
    for (const key of keys) {
      const queue = bySender.get(key)
      if (queue === undefined) continue
      const stale = updateAccount(state, queue, head.nonce(queue.sender), head.balance(queue.sender))
      tellDropped(stale.filter(entry => !mined.has(entry.key)))
    }
    settleRecipients(state)
  }

  return {
    limits,
    add,
    get: hash => byHash.get(toBareHex(hash)),
    nextNonce: sender => {
      const queue = bySender.get(toBareHex(sender))
      return queue === undefined || queue.ready === 0 ? undefined : queue.accountNonce + BigInt(queue.ready)
    },
    candidates: head => createCandidates(state.runnable, head, hash => overruns.of(hash) !== undefined),
    removeMined: (transactions, head) => {
      const mined = new Set<string>()
      const touched = new Set<string>()
      for (const { transaction, sender } of transactions) {
        mined.add(toBareHex(transaction.hash))
        touched.add(toBareHex(sender))
        if (transaction.to !== undefined) touched.add(toBareHex(transaction.to))
      }
      update(touched, head, mined)
    },
    updateSenders: (senders, head) => update(senders.map(toBareHex), head, new Set()),
    nextSenders: count => {
      const senders: SenderTransaction['sender'][] = []
      while (senders.length < Math.min(count, bySender.size)) {
        const next = walk.next()
        if (next.done === true) walk = bySender.values()
        else senders.push(next.value.sender)
      }
      return senders
    },
    dropOlderThan: (timeMs, countMax) => {
      const old: PoolEntry[] = []
      for (const entry of byHash.values()) {
        if (entry.addedAtMs >= timeMs || old.length >= countMax) break
        old.push(entry)
      }
      old.forEach(drop)
      return old.length
    },
    remove: hash => {
      const entry = byHash.get(toBareHex(hash))
      if (entry !== undefined) drop(entry)
    },
    get size() {
      return byHash.size
    },
    get senderCount() {
      return bySender.size
    },
    get bytes() {
      return state.bytes
    },
    get hasRunnable() {
      return state.runnable.size > 0
    },
    isRunnable: sender => (bySender.get(toBareHex(sender))?.payable ?? 0) > 0,
    list: () => [...bySender.values()].flatMap(queue => queue.entries),
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
      const senderKey = toBareHex(entry.sender)
      return explainEntry(bySender.get(senderKey) as SenderQueue, entry, head, incomingOf(state, senderKey))
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
