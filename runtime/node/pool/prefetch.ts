import type { Address } from '../../../core/bytes/bytes.ts'
import { toBareHex } from '../../../core/bytes/hex.ts'
import type { ChainStore } from '../../../core/store/store.ts'
import type { TransactionPool } from '../../../core/txpool/pool.ts'
import type { Log } from '../../logging/log.ts'
import { onNextTurn } from '../../scheduler.ts'

/** Accounts read in one step: about a millisecond if none is in memory. */
const ACCOUNTS_AT_ONCE = 64

/** Maximum queued accounts; further ones are read by the block that needs them. */
const ACCOUNTS_WAITING_MAX = 8192

/**
 * Maximum recently read accounts, about a megabyte: the senders and recipients of some thousand transactions. They are in memory
 * already, and reading one again would cost as much as adding its transaction to the pool.
 */
const ACCOUNTS_RECENT_MAX = 8192

/** Returns a function that is true for a new key. It remembers at least the newest `most / 2` keys, and at most `most`. */
const createRecentKeys = (most: number): ((key: string) => boolean) => {
  let newer = new Set<string>()
  let older = new Set<string>()
  return key => {
    if (newer.has(key)) return false
    const isNew = !older.has(key)
    if (2 * newer.size >= most) {
      older = newer
      newer = new Set()
    }
    newer.add(key)
    return isNew
  }
}

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

  const isNew = createRecentKeys(ACCOUNTS_RECENT_MAX)
  const unsubscribe = pool.onAdded(({ transaction: { to }, sender }) => {
    if (waiting.length >= ACCOUNTS_WAITING_MAX) return
    if (isNew(toBareHex(sender))) waiting.push(sender)
    if (to !== undefined && isNew(toBareHex(to))) waiting.push(to)
    schedule()
  })
  return async () => {
    unsubscribe()
    waiting = []
    await reading
  }
}
