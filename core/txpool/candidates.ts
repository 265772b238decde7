import type { Address, Hash } from '../bytes/bytes.ts'
import { toBareHex } from '../bytes/hex.ts'
import { effectiveTip } from '../block/transactionPrice.ts'
import type { SenderTransaction } from '../block/transaction.ts'
import { upfrontCost } from './cost.ts'
import { createHeap, type HeapItem, NOT_IN_HEAP } from './heap.ts'
import type { PoolHead } from './pool.ts'
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

/**
 * The pool's transactions in the order for a block: transactions of priority senders first, then the highest tip, then the
 * order of arrival; each sender's by nonce. A transaction that was stopped in an earlier block comes after the others of
 * its group. A sender ends at a gap in its nonces, at a transaction that does not pay the base fee, and at one that it
 * cannot pay for. Uses a snapshot of the queues, so the pool may change during the iteration.
 * @param queues queues whose first transaction is payable
 */
export const createCandidates = (
  queues: Iterable<SenderQueue>,
  head: PoolHead,
  isDeferred: (hash: Hash) => boolean = () => false,
  prioritySenders: ReadonlySet<string> = new Set(),
): { next(): SenderTransaction | undefined; skip(sender: Address): void } => {
  const { nextBaseFeePerGas: baseFee, minPriorityFee } = head
  const cursors: Cursor[] = []
  for (const queue of queues) {
    const entry = queue.entries[0] as PoolEntry
    const tip = effectiveTip(entry.transaction, baseFee)
    if (tip >= minPriorityFee)
      cursors.push({
        queue,
        entries: queue.entries.slice(0, queue.payable),
        index: 0,
        entry,
        tip,
        isPreferred: prioritySenders.has(queue.key),
        isDeferred: isDeferred(entry.transaction.hash),
        heapIndex: NOT_IN_HEAP,
      })
  }
  const heap = createHeap(comesBefore, cursors)
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
  const startsNow = ({ entry: { transaction, sender } }: Cursor): boolean =>
    transaction.nonce === head.nonce(sender) && upfrontCost(transaction) <= head.balance(sender)

  return {
    next: () => {
      if (given !== undefined) advance(given)
      given = undefined
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
