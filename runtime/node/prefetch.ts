import type { Address } from '../../core/bytes/bytes.ts'
import type { ChainStore } from '../../core/store/store.ts'
import type { TransactionPool } from '../../core/txpool/pool.ts'
import type { Log } from '../logging/log.ts'

/** Accounts read before other work has its turn: about a millisecond where nothing of them is in memory. */
const ACCOUNTS_AT_ONCE = 64

/** Accounts that wait to be read; what comes above it in a rush is left to the block, which reads the same. */
const ACCOUNTS_WAITING_MAX = 8192

/**
 * Reads senders and recipients of pooled transactions while these wait for their block, so that the block finds them in
 * memory however large the state is. Gives the function that ends it, which resolves when nothing is being read any more.
 */
export const startPrefetch = (options: {
  readonly pool: Pick<TransactionPool, 'onAdded'>
  readonly store: Pick<ChainStore, 'prefetch'>
  readonly log: Log
}): (() => Promise<void>) => {
  const { pool, store, log } = options
  let waiting: Address[] = []
  let due: ReturnType<typeof setImmediate> | undefined
  let reading: Promise<void> = Promise.resolve()

  const readNext = async (): Promise<void> => {
    const accounts = waiting.slice(0, ACCOUNTS_AT_ONCE)
    waiting = waiting.slice(ACCOUNTS_AT_ONCE)
    try {
      await store.prefetch(accounts)
    } catch (error) {
      // The block that needs these accounts meets the same, and tells whoever waits for it.
      log.warn('Accounts of waiting transactions cannot be read: {error}', { error })
    }
    due = undefined
    schedule()
  }
  const schedule = (): void => {
    if (due !== undefined || waiting.length === 0) return
    due = setImmediate(() => {
      reading = readNext()
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
    if (due !== undefined) clearImmediate(due)
    await reading
  }
}
