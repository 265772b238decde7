import type { Address, Hash } from '../bytes/bytes.ts'
import { toBareHex } from '../bytes/hex.ts'
import type { RecoveredTransaction } from '../block/transaction.ts'
import { admit, checkReplacement } from './admission.ts'
import { expectedCost, upfrontCost } from './cost.ts'
import { checkFunds } from './funds.ts'
import type { Overruns } from './overruns.ts'
import type { PoolAccount, PooledTransaction, PoolHead, PoolOrigin } from './pool.ts'
import {
  dropLast,
  evict,
  incomingOf,
  insert,
  type PoolState,
  replace,
  settleRecipients,
  updateAccount,
} from './poolState.ts'
import { TransactionRejected } from './rejection.ts'
import { createSenderQueue, entryAtNonce, type PoolEntry, type SenderQueue } from './senderQueue.ts'

export type PoolListener = (transaction: PooledTransaction) => void

/** A pool with its listeners and the transactions that were stopped during block building. */
export type Pool = {
  readonly state: PoolState
  readonly overruns: Overruns
  readonly added: Set<PoolListener>
  readonly dropped: Set<PoolListener>
  /** Number of entries ever created. */
  sequence: number
}

export const notifyDropped = ({ dropped }: Pool, entries: readonly PoolEntry[]): void => {
  for (const entry of entries) for (const listener of dropped) listener(entry)
}

const createEntry = (
  pool: Pool,
  { transaction, sender }: RecoveredTransaction,
  origin: PoolOrigin,
  baseFeePerGas: bigint | undefined,
  keys: { readonly key: string; readonly senderKey: string },
): PoolEntry => {
  const { to, value } = transaction
  const recipientKey = to === undefined || value === 0n ? undefined : toBareHex(to)
  return {
    transaction,
    sender,
    ...origin,
    key: keys.key,
    sequence: pool.sequence++,
    upfrontCost: upfrontCost(transaction),
    expectedCost: expectedCost(transaction, baseFeePerGas),
    recipientKey: recipientKey === keys.senderKey ? undefined : recipientKey,
    paysRecipient: false,
  }
}

/**
 * Keeps a sender within its share of the pool: a transaction of a lower nonce displaces the sender's last ones.
 * @returns the displaced entries
 * @throws TransactionRejected
 */
const makeRoomInShare = (
  state: PoolState,
  queue: SenderQueue,
  { transaction }: RecoveredTransaction,
): readonly PoolEntry[] => {
  const { transactionsMax, bytesMax } = state.senderShare
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
  const displaced: PoolEntry[] = []
  while (queue.entries.length > kept) displaced.push(dropLast(state, queue))
  return displaced
}

const enqueue = (pool: Pool, queue: SenderQueue, entry: PoolEntry): void => {
  const { state } = pool
  const replaced = entryAtNonce(queue, entry.transaction.nonce)
  if (replaced === undefined) {
    const displaced = makeRoomInShare(state, queue, entry)
    insert(state, queue, entry)
    notifyDropped(pool, displaced)
  } else {
    checkReplacement(replaced.transaction, entry.transaction, state.options)
    replace(state, queue, replaced, entry)
    notifyDropped(pool, [replaced])
  }
}

/** Refuses a transaction that was stopped twice, and its sender for some time. @throws TransactionRejected */
const checkOverruns = (overruns: Overruns, hash: Hash, sender: Address, nowMs: number): void => {
  const untilMs = overruns.waitsUntilMs(sender, nowMs)
  if (untilMs === undefined && overruns.of(hash)?.isDropped !== true) return
  throw new TransactionRejected(
    'SENDER_WAITS',
    untilMs === undefined
      ? 'this transaction twice ran longer than the time for a block'
      : `a transaction of this sender twice ran longer than the time for a block; try again in ${Math.ceil((untilMs - nowMs) / 1000)} seconds`,
  )
}

/** The sender's queue with the account's current nonce and balance; a new queue is not in the pool. */
const currentQueue = (pool: Pool, sender: Address, senderKey: string, account: PoolAccount): SenderQueue => {
  const { state } = pool
  const pooled = state.bySender.get(senderKey)
  if (pooled !== undefined) notifyDropped(pool, updateAccount(state, pooled, account))
  settleRecipients(state)
  const queue = state.bySender.get(senderKey) ?? createSenderQueue(sender, senderKey)
  queue.accountNonce = account.nonce
  queue.balance = account.balance
  return queue
}

/** As TransactionPool.add. @throws TransactionRejected */
export const addTransaction = (
  pool: Pool,
  recovered: RecoveredTransaction,
  head: PoolHead,
  origin: PoolOrigin,
): PoolAccount => {
  const { state } = pool
  const { options } = state
  const { transaction, sender } = recovered
  const key = toBareHex(transaction.hash)
  if (state.byHash.has(key))
    throw new TransactionRejected('ALREADY_KNOWN', 'the same transaction is in the pool already')
  checkOverruns(pool.overruns, transaction.hash, sender, origin.addedAtMs)
  const account = admit(transaction, sender, head, origin, options)
  // Reads of the state may throw; nothing before this line changes the pool.
  const senderKey = toBareHex(sender)
  const queue = currentQueue(pool, sender, senderKey, account)
  if (options.balanceCheck) checkFunds(transaction, queue, account.balance + incomingOf(state, senderKey))
  const entry = createEntry(pool, recovered, origin, head.nextBaseFeePerGas, { key, senderKey })
  enqueue(pool, queue, entry)
  settleRecipients(state)
  const evicted = evict(state)
  settleRecipients(state)
  if (!state.byHash.has(key)) {
    notifyDropped(
      pool,
      evicted.filter(other => other !== entry),
    )
    throw new TransactionRejected(
      'POOL_FULL',
      `the pool has ${options.limits.transactionsMax} transactions or ${options.limits.bytesMax} bytes, or a tenth of that from senders without nonce and balance, and all have a higher price or a nearer nonce; raise the price or try later`,
    )
  }
  notifyDropped(pool, evicted)
  for (const listener of pool.added) listener(entry)
  return account
}
