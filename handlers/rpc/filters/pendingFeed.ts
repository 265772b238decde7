import { toHex } from '../../../core/bytes/hex.ts'
import type { TransactionPool } from '../../../core/txpool/pool.ts'

/** Hashes kept for filters that have not asked yet; a client that asks too seldom misses the oldest. */
export const PENDING_HASHES_MAX = 65_536

/** What came into the pool, in order, each with a running position; kept once for all filters. */
export type PendingFeed = {
  /** Listens from now on; gives the position of what comes next. */
  start(): number
  /** The hashes from `position` on, and the position behind them. */
  since(position: number): { readonly hashes: readonly string[]; readonly position: number }
  /** Nobody listens any more. */
  stop(): void
}

export const createPendingFeed = (pool: Pick<TransactionPool, 'onAdded'>): PendingFeed => {
  let hashes: string[] = []
  let first = 0
  let unsubscribe: (() => void) | undefined

  const next = (): number => first + hashes.length

  return {
    start: () => {
      unsubscribe ??= pool.onAdded(({ transaction }) => {
        hashes.push(toHex(transaction.hash))
        // Half at a time, so that the copy is paid for by as many additions.
        if (hashes.length >= 2 * PENDING_HASHES_MAX) {
          first += hashes.length - PENDING_HASHES_MAX
          hashes = hashes.slice(-PENDING_HASHES_MAX)
        }
      })
      return next()
    },
    since: position => ({ hashes: hashes.slice(Math.max(0, position - first)), position: next() }),
    stop: () => {
      unsubscribe?.()
      unsubscribe = undefined
      first = next()
      hashes = []
    },
  }
}
