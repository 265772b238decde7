import type { Input } from '../../core/qbft/input.ts'
import type { TransactionPool } from '../../core/txpool/pool.ts'

export type TransactionWatch = {
  /** Whether a block made now would have a transaction, as far as can be told without making it. */
  isWaiting(): boolean
  /** Called around each input of the machine. */
  before(input: Input): void
  after(input: Input): void
  stop(): void
}

/**
 * Tells once that transactions came into a pool that had none ready. What is ready and yet found no place in the block
 * just made, for it pays too little, does not count until another one comes or the next block is due.
 */
export const createTransactionWatch = (pool: TransactionPool, tell: () => void): TransactionWatch => {
  let told = false
  /** Set when the last block of this height came out empty. */
  let fruitless = false
  let arrived = false

  const unsubscribe = pool.onAdded(({ sender }) => {
    if (!pool.isRunnable(sender)) return
    arrived = true
    fruitless = false
    if (told) return
    told = true
    tell()
  })

  const isWaiting = (): boolean => !fruitless && pool.hasRunnable

  return {
    isWaiting,
    before: input => {
      if (input.kind === 'head') fruitless = false
      if (input.kind === 'block-built') {
        fruitless = input.block?.transactions.length === 0 && !arrived
        arrived = false
      }
    },
    after: input => {
      // A look that found nothing: the next one that comes is news again, and one that came meanwhile is told now.
      if (input.kind !== 'timer' && input.kind !== 'head' && input.kind !== 'block-built') return
      told = false
      if (input.kind !== 'block-built' || input.block?.transactions.length !== 0 || !isWaiting()) return
      told = true
      tell()
    },
    stop: unsubscribe,
  }
}
