import { toQuantity } from '../bytes/hex.ts'
import type { Transaction } from '../block/transaction.ts'
import { upfrontCost } from './cost.ts'
import { TransactionRejected } from './rejection.ts'
import type { SenderQueue } from './senderQueue.ts'

/**
 * Transactions of a sender that may follow executable ones although its balance does not cover them: enough for a script
 * that sends before it is paid, too few to fill the pool.
 */
export const UNPAYABLE_BY_SENDER_MAX = 16

/** Expected cost of the sender's pooled transactions below this nonce. */
const costBefore = (queue: SenderQueue | undefined, nonce: bigint): bigint => {
  if (queue === undefined) return 0n
  const { entries, payable, payableCost } = queue
  const last = entries[entries.length - 1]
  // The usual case, the sender's next nonce.
  if (payable === entries.length && last !== undefined && last.transaction.nonce < nonce) return payableCost
  let cost = 0n
  for (const { transaction, expectedCost } of entries) {
    if (transaction.nonce >= nonce) break
    cost += expectedCost
  }
  return cost
}

/** True if the sender is known and the transaction is one of few that wait for a payment. */
const mayWaitForFunds = (queue: SenderQueue | undefined, nonce: bigint): boolean => {
  const first = queue?.entries[0]
  if (queue === undefined || first === undefined) return false
  return (
    queue.isKnown &&
    queue.payable > 0 &&
    nonce > first.transaction.nonce &&
    queue.entries.length - queue.payable < UNPAYABLE_BY_SENDER_MAX
  )
}

/**
 * Refuses a transaction that the sender cannot pay for, as go-ethereum does; Besu accepts it.
 * @param available wei: the balance in the state, and what executable transactions of others pay the sender
 * @throws TransactionRejected
 */
export const checkFunds = (
  transaction: Transaction,
  queue: SenderQueue | undefined,
  available: bigint,
): void => {
  const cost = upfrontCost(transaction)
  const spent = costBefore(queue, transaction.nonce)
  if (cost <= available - spent || mayWaitForFunds(queue, transaction.nonce)) return
  const pending = spent === 0n ? '' : ` less ${toQuantity(spent)} of its pending transactions`
  throw new TransactionRejected(
    'INSUFFICIENT_FUNDS',
    `insufficient funds for gas * price + value: transaction up-front cost ${toQuantity(cost)} exceeds transaction sender account balance ${toQuantity(available)}${pending}`,
  )
}
