import type { Address } from '../bytes/bytes.ts'
import { type HeapItem, NOT_IN_HEAP } from './heap.ts'
import type { PooledTransaction } from './pool.ts'

export type PoolEntry = PooledTransaction & {
  /** Hex of the hash. */
  readonly key: string
  /** Order of arrival. */
  readonly sequence: number
  /** Hex of the account that it pays wei to; undefined when it pays none, or its sender. */
  readonly recipientKey: string | undefined
  /** The most wei that its sender can have to pay. */
  readonly upfrontCost: bigint
  /** Wei that it takes from its sender at the base fee of when it came. */
  readonly expectedCost: bigint
  /** Whether its payment counts as its recipient's: its sender's balance in the state pays for it. */
  paysRecipient: boolean
}

/**
 * The pooled transactions of one sender: ascending by nonce, one for each nonce. Its place in the eviction order follows
 * from its fields, which `appendEntry` and `refresh` keep right.
 */
export type SenderQueue = HeapItem & {
  readonly sender: Address
  readonly key: string
  readonly entries: PoolEntry[]
  /** Of the account, as of the last head seen. */
  accountNonce: bigint
  /** Wei in the state, as of the last look at it. */
  balance: bigint
  /** Whether the account has a nonce or a balance, or executable transactions of others pay it. */
  isKnown: boolean
  /** How many entries follow `accountNonce` without a gap. */
  ready: number
  /** How many of these the balance pays for, with what executable transactions of others pay the sender. */
  payable: number
  /** How many of these the balance in the state alone pays for. */
  funded: number
  /** Expected cost of the payable ones. */
  payableCost: bigint
  /** Lowest maxFeePerGas of all: nothing behind it is mined before it is. */
  feeMin: bigint
  /** Encoded bytes of all. */
  bytes: number
  /** What it counts as in the share of unknown senders. */
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

/** Where an entry of that nonce stands, or would have to be put. */
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

/** Takes the entry at `index`, the first that is not counted yet, into the counts it belongs to. */
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
 * Works out all counts again after a change.
 * @param incoming wei that executable transactions of others pay the sender.
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

/** Adds an entry whose nonce is above all others', without a walk: the usual case. */
export const appendEntry = (queue: SenderQueue, entry: PoolEntry, incoming: bigint): void => {
  queue.entries.push(entry)
  count(queue, queue.entries.length - 1, queue.balance + incoming)
}
