import type { Address } from '../bytes/bytes.ts'
import type { HeapItem } from './heap.ts'
import { NOT_IN_HEAP } from './heap.ts'
import type { PooledTransaction } from './pool.ts'

export type PoolEntry = PooledTransaction & {
  /** Hex of the hash. */
  readonly key: string
  /** Order of arrival. */
  readonly sequence: number
}

/**
 * What the pool holds of one sender: at most the per-sender bound, ascending by nonce, one for each nonce. Its place in
 * the eviction order follows from `ready`, `feeMin` and the last entry, which `refresh` keeps right.
 */
export type SenderQueue = HeapItem & {
  readonly sender: Address
  readonly key: string
  readonly entries: PoolEntry[]
  /** Of the account, as of the last head seen. */
  accountNonce: bigint
  /** How many entries follow `accountNonce` without a gap. */
  ready: number
  /** Lowest maxFeePerGas of all: nothing behind it is mined before it is. */
  feeMin: bigint
}

export const createSenderQueue = (sender: Address, key: string, accountNonce: bigint): SenderQueue => ({
  sender,
  key,
  entries: [],
  accountNonce,
  ready: 0,
  feeMin: 0n,
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

/** Works out `ready` and `feeMin` again after any change. */
export const refresh = (queue: SenderQueue): void => {
  const { entries } = queue
  const first = entries[0]
  if (first === undefined) {
    queue.ready = 0
    queue.feeMin = 0n
    return
  }
  let ready = 0
  let nonce = queue.accountNonce
  let feeMin = first.transaction.maxFeePerGas
  for (const { transaction } of entries) {
    if (transaction.nonce === nonce) {
      ready++
      nonce++
    }
    if (transaction.maxFeePerGas < feeMin) feeMin = transaction.maxFeePerGas
  }
  queue.ready = ready
  queue.feeMin = feeMin
}

/** Adds an entry of a nonce that is not there yet. */
export const insertEntry = (queue: SenderQueue, entry: PoolEntry): void => {
  const { entries } = queue
  const { nonce, maxFeePerGas } = entry.transaction
  const index = nonceIndex(queue, nonce)
  if (index < entries.length) {
    entries.splice(index, 0, entry)
    refresh(queue)
    return
  }
  // The usual case, the sender's next one, needs no walk.
  if (queue.ready === index && nonce === queue.accountNonce + BigInt(index)) queue.ready = index + 1
  if (index === 0 || maxFeePerGas < queue.feeMin) queue.feeMin = maxFeePerGas
  entries.push(entry)
}

/**
 * Which queue gives up its last entry first when the pool is full: one that waits behind a gap, then the worst paying,
 * then the one that reaches farthest from its account nonce, then the one that came last.
 */
export const evictedBefore = (a: SenderQueue, b: SenderQueue): boolean => {
  const aWaits = a.ready < a.entries.length
  const bWaits = b.ready < b.entries.length
  if (aWaits !== bWaits) return aWaits
  if (a.feeMin !== b.feeMin) return a.feeMin < b.feeMin
  const aLast = a.entries[a.entries.length - 1] as PoolEntry
  const bLast = b.entries[b.entries.length - 1] as PoolEntry
  const aDistance = aLast.transaction.nonce - a.accountNonce
  const bDistance = bLast.transaction.nonce - b.accountNonce
  if (aDistance !== bDistance) return aDistance > bDistance
  return aLast.sequence > bLast.sequence
}
