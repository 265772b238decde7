import type { Address, Hash } from '../bytes/bytes.ts'
import { toBareHex } from '../bytes/hex.ts'
import { effectiveTip } from '../block/transactionPrice.ts'
import type { RecoveredTransaction } from '../block/transaction.ts'
import { upfrontCost } from './cost.ts'
import { createHeap, type HeapItem, NOT_IN_HEAP } from './heap.ts'
import { LATE_SENDERS_MAX } from './limits.ts'
import type { PoolHead } from './pool.ts'
import type { PoolState } from './poolState.ts'
import type { PoolEntry, SenderQueue } from './senderQueue.ts'

/** A sender's next transaction, with its position in the order. */
type Cursor = HeapItem & {
  readonly queue: SenderQueue
  readonly entries: readonly PoolEntry[]
  index: number
  entry: PoolEntry
  tip: bigint
  /** True for a priority sender. */
  readonly isPreferred: boolean
  /** True when it was stopped in an earlier block. */
  isDeferred: boolean
}

/** EIP-7825's gas limit of one transaction. A transaction above it may run long, and follows others of the same price. */
const LONG_GAS = 2n ** 24n

const mayRunLong = ({ entry }: Cursor): boolean => entry.transaction.gasLimit > LONG_GAS

/** Of two equal tips, a sender with an account in the state comes first: without fees, anybody can create other senders. */
const comesBefore = (a: Cursor, b: Cursor): boolean => {
  if (a.isPreferred !== b.isPreferred) return a.isPreferred
  if (a.isDeferred !== b.isDeferred) return b.isDeferred
  if (a.tip !== b.tip) return a.tip > b.tip
  if (a.queue.isKnown !== b.queue.isKnown) return a.queue.isKnown
  if (mayRunLong(a) !== mayRunLong(b)) return mayRunLong(b)
  return a.entry.sequence < b.entry.sequence
}

/** Senders that became runnable after the selection began, and that it does not have yet. */
type LateSenders = {
  readonly state: Arrivals
  readonly selected: Set<SenderQueue>
  seen: number
  taken: number
}

type Arrivals = Pick<PoolState, 'runnable' | 'arrivals' | 'arrivalCount'>

/** Returns the late senders since the last call. Omits those that the ring has lost, and those above the limit. */
const takeLateSenders = (late: LateSenders): readonly SenderQueue[] => {
  const { state, selected } = late
  const { arrivals, arrivalCount } = state
  const found: SenderQueue[] = []
  const first = Math.max(late.seen, arrivalCount - LATE_SENDERS_MAX)
  for (let number = first; number < arrivalCount && late.taken < LATE_SENDERS_MAX; number++) {
    const queue = arrivals[number % LATE_SENDERS_MAX] as SenderQueue
    if (queue.payable === 0 || selected.has(queue)) continue
    selected.add(queue)
    late.taken++
    found.push(queue)
  }
  late.seen = arrivalCount
  return found
}

/**
 * The pool's transactions in the order for a block: transactions of priority senders first, then the highest tip, then the
 * order of arrival; each sender's by nonce. A transaction that was stopped in an earlier block comes after the others of
 * its group. A sender ends at a gap in its nonces, at a transaction that does not pay the base fee, and at one that it
 * cannot pay for. Takes each sender's transactions once, so the pool may change during the iteration; known senders that
 * become runnable meanwhile take part from then on, up to LATE_SENDERS_MAX.
 */
export const createCandidates = (
  state: Arrivals,
  head: PoolHead,
  isDeferred: (hash: Hash) => boolean = () => false,
  prioritySenders: ReadonlySet<string> = new Set(),
): { next(): RecoveredTransaction | undefined; skip(sender: Address): void } => {
  const { nextBaseFeePerGas: baseFee, minPriorityFee } = head

  /** Undefined when the first transaction pays too little. */
  const cursorOf = (queue: SenderQueue): Cursor | undefined => {
    const entry = queue.entries[0] as PoolEntry
    const tip = effectiveTip(entry.transaction, baseFee)
    if (tip < minPriorityFee) return undefined
    return {
      queue,
      entries: queue.entries.slice(0, queue.payable),
      index: 0,
      entry,
      tip,
      isPreferred: prioritySenders.has(queue.key),
      isDeferred: isDeferred(entry.transaction.hash),
      heapIndex: NOT_IN_HEAP,
    }
  }

  const selected = new Set(state.runnable)
  const late: LateSenders = { state, selected, seen: state.arrivalCount, taken: 0 }
  const heap = createHeap(
    comesBefore,
    [...selected].map(cursorOf).filter(cursor => cursor !== undefined),
  )
  let given: Cursor | undefined

  const advance = (cursor: Cursor): void => {
    const entry = cursor.entries[++cursor.index]
    const tip = entry === undefined ? -1n : effectiveTip(entry.transaction, baseFee)
    if (entry === undefined || tip < minPriorityFee) {
      heap.remove(cursor)
      return
    }
    cursor.entry = entry
    cursor.tip = tip
    cursor.isDeferred = isDeferred(entry.transaction.hash)
    heap.moved(cursor)
  }

  /**
   * True when the sender's account allows its first transaction. Reads the state, so it is called only for the next sender.
   */
  const startsNow = ({ entry: { transaction, sender } }: Cursor): boolean => {
    const { nonce, balance } = head.account(sender)
    return transaction.nonce === nonce && upfrontCost(transaction) <= balance
  }

  return {
    next: () => {
      if (given !== undefined) advance(given)
      given = undefined
      for (const queue of takeLateSenders(late)) {
        const cursor = cursorOf(queue)
        if (cursor !== undefined) heap.push(cursor)
      }
      for (;;) {
        const best = heap.peek()
        if (best === undefined) return undefined
        if (best.index > 0 || startsNow(best)) {
          given = best
          return best.entry
        }
        heap.remove(best)
      }
    },
    skip: sender => {
      if (given === undefined || given.queue.key !== toBareHex(sender)) return
      heap.remove(given)
      given = undefined
    },
  }
}
