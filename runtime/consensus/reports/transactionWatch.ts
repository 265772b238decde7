import type { Input } from '../../../core/qbft/input.ts'
import type { TransactionPool } from '../../../core/txpool/pool.ts'

export type TransactionWatch = {
  /** Whether a block built now would probably contain a transaction. */
  isWaiting(): boolean
  /** Called before and after each input of the state machine. */
  before(input: Input): void
  after(input: Input): void
  stop(): void
}

/**
 * Notifies once when a pool without executable transactions gets some. Transactions that did not fit the last built block,
 * because they pay too little, do not count until another one arrives or the next block is due.
 */
export const createTransactionWatch = (pool: TransactionPool, notify: () => void): TransactionWatch => {
  let notified = false
  /** Set if the last block built at this height was empty. */
  let wasEmpty = false
  let arrived = false

  const unsubscribe = pool.onAdded(({ sender }) => {
    if (!pool.isRunnable(sender)) return
    arrived = true
    wasEmpty = false
    if (notified) return
    notified = true
    notify()
  })

  const isWaiting = (): boolean => !wasEmpty && pool.hasRunnable

  return {
    isWaiting,
    before: input => {
      if (input.kind === 'head') wasEmpty = false
      if (input.kind === 'block-built') {
        wasEmpty = input.block?.transactions.length === 0 && !arrived
        arrived = false
      }
    },
    after: input => {
      // The build found nothing: the next arrival notifies again, and one that came meanwhile notifies now.
      if (input.kind !== 'timer' && input.kind !== 'head' && input.kind !== 'block-built') return
      notified = false
      if (input.kind !== 'block-built' || input.block?.transactions.length !== 0 || !isWaiting()) return
      notified = true
      notify()
    },
    stop: unsubscribe,
  }
}
