import type { Address } from '../bytes/bytes.ts'
import { type HeapItem, NOT_IN_HEAP } from './heap.ts'
import type { PooledTransaction } from './pool.ts'

export type PoolEntry = PooledTransaction & {
  /** Hex of the hash. */
  readonly key: string
  /** Order of arrival. */
  readonly sequence: number
  /** Hex of the account that receives its value; undefined when it pays no value, or its own sender. */
  readonly recipientKey: string | undefined
  /** Maximum wei that its sender pays. */
  readonly upfrontCost: bigint
  /** Wei that its sender pays at the base fee of its arrival. */
  readonly expectedCost: bigint
  /** True when its payment counts for its recipient, because its sender's balance in the state covers it. */
  paysRecipient: boolean
}

/**
 * The pooled transactions of one sender: ascending by nonce, one for each nonce. Its place in the eviction order depends on its
 * fields, which `appendEntry` and `refresh` update.
 */
export type SenderQueue = HeapItem & {
  readonly sender: Address
  readonly key: string
  readonly entries: PoolEntry[]
  /** Nonce of the account at the last known head. */
  accountNonce: bigint
  /** Wei in the state at the last known head. */
  balance: bigint
  /** True when the account has a nonce or a balance, or executable transactions of others pay it. */
  isKnown: boolean
  /** Number of entries that follow `accountNonce` without a gap. */
  ready: number
  /** Number of ready entries that the balance and the incoming payments cover. */
  payable: number
  /** Number of ready entries that the balance in the state alone covers. */
  funded: number
  /** Expected cost of the payable entries. */
  payableCost: bigint
  /** Lowest maxFeePerGas of all entries: later entries are not mined before that entry. */
  feeMin: bigint
  /** Encoded bytes of all entries. */
  bytes: number
  /** Part of this queue in the pool's sums for unknown senders. */
  unknownTransactions: number
  unknownBytes: number
}

export const createSenderQueue = (sender: Address, key: string): SenderQueue => ({
  sender,
  key,
  entries: [],
  accountNonce: 0n,
  balance: 0n,
  isKnown: false,
  ready: 0,
  payable: 0,
  funded: 0,
  payableCost: 0n,
  feeMin: 0n,
  bytes: 0,
  unknownTransactions: 0,
  unknownBytes: 0,
  heapIndex: NOT_IN_HEAP,
})

/** The index of the entry of that nonce, or at which it would be inserted. */
export const nonceIndex = (queue: SenderQueue, nonce: bigint): number => {
  const { entries } = queue
  let low = 0
  let high = entries.length
  const last = entries[high - 1]
  if (last === undefined || last.transaction.nonce < nonce) return high
  while (low < high) {
    const middle = (low + high) >> 1
    if ((entries[middle] as PoolEntry).transaction.nonce < nonce) low = middle + 1
    else high = middle
  }
  return low
}

export const entryAtNonce = (queue: SenderQueue, nonce: bigint): PoolEntry | undefined => {
  const entry = queue.entries[nonceIndex(queue, nonce)]
  return entry?.transaction.nonce === nonce ? entry : undefined
}

/** Adds the entry at `index`, the first one after the counted entries, to the counts. */
const count = (queue: SenderQueue, index: number, available: bigint): void => {
  const { entries } = queue
  const { transaction, upfrontCost, expectedCost } = entries[index] as PoolEntry
  queue.bytes += transaction.encoded.length
  if (index === 0 || transaction.maxFeePerGas < queue.feeMin) queue.feeMin = transaction.maxFeePerGas
  if (queue.ready !== index) return
  const before = entries[index - 1]
  if (transaction.nonce !== (before === undefined ? queue.accountNonce : before.transaction.nonce + 1n))
    return
  queue.ready = index + 1
  if (queue.payable !== index) return
  const cost = upfrontCost + queue.payableCost
  if (cost > available) return
  queue.payable = index + 1
  if (queue.funded === index && cost <= queue.balance) queue.funded = index + 1
  queue.payableCost += expectedCost
}

/**
 * Recomputes all counts after a change.
 * @param incoming wei that executable transactions of others pay the sender
 */
export const refresh = (queue: SenderQueue, incoming: bigint): void => {
  queue.ready = 0
  queue.payable = 0
  queue.funded = 0
  queue.payableCost = 0n
  queue.feeMin = 0n
  queue.bytes = 0
  const available = queue.balance + incoming
  for (let index = 0; index < queue.entries.length; index++) count(queue, index, available)
}

/** Adds an entry with the highest nonce, the usual case, without recomputing the counts. */
export const appendEntry = (queue: SenderQueue, entry: PoolEntry, incoming: bigint): void => {
  queue.entries.push(entry)
  count(queue, queue.entries.length - 1, queue.balance + incoming)
}
