import type { Address, Hash } from '../bytes/bytes.ts'
import { toBareHex } from '../bytes/hex.ts'
import type { RecoveredTransaction } from '../block/transaction.ts'
import { subscribe } from '../collections/subscribe.ts'
import type { PoolOptions } from './admission.ts'
import { addTransaction, notifyDropped, type Pool } from './admitting.ts'
import { createCandidates } from './candidates.ts'
import { explainDeferred, explainDropped, explainEntry, type Explanation } from './explain.ts'
import { createOverruns } from './overruns.ts'
import type { PoolHead, PoolOrigin, TransactionPool } from './pool.ts'
import {
  createPoolState,
  dropLast,
  incomingOf,
  type PoolState,
  removeEntry,
  settleRecipients,
  unknownShareUsed,
  updateAccount,
} from './poolState.ts'
import type { PoolEntry, SenderQueue } from './senderQueue.ts'

const LOCAL: PoolOrigin = { local: true, addedAtMs: 0 }

const queueOf = ({ bySender }: PoolState, sender: Address): SenderQueue | undefined =>
  bySender.get(toBareHex(sender))

const dropEntry = (pool: Pool, entry: PoolEntry): void => {
  const { state } = pool
  removeEntry(state, entry, queueOf(state, entry.sender) as SenderQueue)
  settleRecipients(state)
  notifyDropped(pool, [entry])
}

const dropSender = (pool: Pool, sender: Address): void => {
  const { state } = pool
  const queue = queueOf(state, sender)
  if (queue === undefined) return
  const dropped: PoolEntry[] = []
  while (queue.entries.length > 0) dropped.push(dropLast(state, queue))
  settleRecipients(state)
  notifyDropped(pool, dropped)
}

const dropOlderThan = (pool: Pool, timeMs: number, countMax: number): number => {
  const old: PoolEntry[] = []
  for (const entry of pool.state.byHash.values()) {
    if (entry.addedAtMs >= timeMs || old.length >= countMax) break
    old.push(entry)
  }
  for (const entry of old) dropEntry(pool, entry)
  return old.length
}

/** Reads the accounts of these senders again, and drops transactions with used nonces. Listeners do not get mined ones. */
const updateAccounts = (
  pool: Pool,
  senderKeys: Iterable<string>,
  head: PoolHead,
  mined: ReadonlySet<string>,
): void => {
  const { state } = pool
  for (const key of senderKeys) {
    const queue = state.bySender.get(key)
    if (queue === undefined) continue
    const stale = updateAccount(state, queue, head.account(queue.sender))
    notifyDropped(
      pool,
      stale.filter(entry => !mined.has(entry.key)),
    )
  }
  settleRecipients(state)
}

const removeMined = (pool: Pool, transactions: readonly RecoveredTransaction[], head: PoolHead): void => {
  const mined = new Set<string>()
  const accounts = new Set<string>()
  for (const { transaction, sender } of transactions) {
    mined.add(toBareHex(transaction.hash))
    accounts.add(toBareHex(sender))
    if (transaction.to !== undefined) accounts.add(toBareHex(transaction.to))
  }
  updateAccounts(pool, accounts, head, mined)
}

/** Returns the next senders of a cyclic walk over all queues. */
const senderWalk = ({ bySender }: PoolState): ((count: number) => readonly Address[]) => {
  let walk = bySender.values()
  return count => {
    const senders: Address[] = []
    while (senders.length < Math.min(count, bySender.size)) {
      const next = walk.next()
      if (next.done === true) walk = bySender.values()
      else senders.push(next.value.sender)
    }
    return senders
  }
}

const explain = ({ state, overruns }: Pool, hash: Hash, head: PoolHead): Explanation | undefined => {
  const entry = state.byHash.get(toBareHex(hash))
  const overrun = overruns.of(hash)
  if (entry === undefined) return overrun?.isDropped === true ? explainDropped(overrun) : undefined
  if (overrun !== undefined) return explainDeferred(overrun)
  const senderKey = toBareHex(entry.sender)
  const queue = state.bySender.get(senderKey) as SenderQueue
  return explainEntry(queue, entry, head, incomingOf(state, senderKey))
}

/** An empty pool. Admission follows Besu's order of checks (see admission.ts). */
export const createTransactionPool = (options: PoolOptions): TransactionPool => {
  const state = createPoolState(options)
  const { byHash, bySender } = state
  const overruns = createOverruns()
  const pool: Pool = { state, overruns, added: new Set(), dropped: new Set(), sequence: 0 }
  const isDeferred = (hash: Hash): boolean => overruns.of(hash) !== undefined
  return {
    limits: options.limits,
    add: (sent, head, origin = LOCAL) => addTransaction(pool, sent, head, origin),
    get: hash => byHash.get(toBareHex(hash)),
    nextNonce: sender => {
      const queue = queueOf(state, sender)
      return queue === undefined || queue.ready === 0 ? undefined : queue.accountNonce + BigInt(queue.ready)
    },
    candidates: head => createCandidates(state, head, isDeferred, state.options.prioritySenders),
    removeMined: (transactions, head) => removeMined(pool, transactions, head),
    updateSenders: (senders, head) => updateAccounts(pool, senders.map(toBareHex), head, new Set()),
    nextSenders: senderWalk(state),
    dropOlderThan: (timeMs, countMax) => dropOlderThan(pool, timeMs, countMax),
    remove: hash => {
      const entry = byHash.get(toBareHex(hash))
      if (entry !== undefined) dropEntry(pool, entry)
    },
    get size() {
      return byHash.size
    },
    get oldestMs() {
      const [oldest] = byHash.values()
      return oldest?.addedAtMs
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
    isRunnable: sender => (queueOf(state, sender)?.payable ?? 0) > 0,
    isKnown: sender => queueOf(state, sender)?.isKnown === true,
    get unknownShareUsed() {
      return unknownShareUsed(state)
    },
    list: () => [...bySender.values()].flatMap(queue => queue.entries),
    ofSender: sender => {
      const queue = queueOf(state, sender)
      return { transactions: [...(queue?.entries ?? [])], ready: queue?.ready ?? 0 }
    },
    counts: () => {
      let ready = 0
      for (const queue of bySender.values()) ready += queue.ready
      return { ready, queued: byHash.size - ready }
    },
    explain: (hash, head) => explain(pool, hash, head),
    noteOverrun: ({ transaction, sender }, reason, nowMs) => {
      const overrun = overruns.note(transaction.hash, sender, reason, nowMs)
      if (overrun.isDropped) dropSender(pool, sender)
      return overrun
    },
    isDeferred,
    onAdded: listener => subscribe(pool.added, listener),
    onDropped: listener => subscribe(pool.dropped, listener),
  }
}
