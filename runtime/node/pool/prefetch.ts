import type { Address } from '../../../core/bytes/bytes.ts'
import type { ChainStore } from '../../../core/store/store.ts'
import type { TransactionPool } from '../../../core/txpool/pool.ts'
import type { Log } from '../../logging/log.ts'
import { onNextTurn } from '../../scheduler.ts'

/** Accounts read in one step: about a millisecond if none is in memory. */
const ACCOUNTS_AT_ONCE = 64

/** Maximum queued accounts; further ones are read by the block that needs them. */
const ACCOUNTS_WAITING_MAX = 8192

/**
 * Reads senders and recipients of pooled transactions into memory before their block executes. Returns the function that
 * stops it, which resolves when no read is in progress.
 */
export const startPrefetch = (options: {
  readonly pool: Pick<TransactionPool, 'onAdded'>
  readonly store: Pick<ChainStore, 'prefetch'>
  readonly log: Log
}): (() => Promise<void>) => {
  const { pool, store, log } = options
  let waiting: Address[] = []
  let isDue = false
  let reading: Promise<void> = Promise.resolve()

  const readNext = async (): Promise<void> => {
    const accounts = waiting.slice(0, ACCOUNTS_AT_ONCE)
    waiting = waiting.slice(ACCOUNTS_AT_ONCE)
    try {
      await store.prefetch(accounts)
    } catch (error) {
      // The block that needs these accounts fails in the same way and reports it.
      log.warn('Accounts of waiting transactions cannot be read: {error}', { error })
    }
    isDue = false
    schedule()
  }
  const schedule = (): void => {
    if (isDue || waiting.length === 0) return
    isDue = true
    onNextTurn(() => {
      if (waiting.length > 0) reading = readNext()
    })
  }

  const unsubscribe = pool.onAdded(({ transaction, sender }) => {
    if (waiting.length >= ACCOUNTS_WAITING_MAX) return
    waiting.push(sender)
    if (transaction.to !== undefined) waiting.push(transaction.to)
    schedule()
  })
  return async () => {
    unsubscribe()
    waiting = []
    await reading
  }
}
