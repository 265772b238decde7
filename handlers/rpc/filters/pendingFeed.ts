import { toHex } from '../../../core/bytes/hex.ts'
import type { TransactionPool } from '../../../core/txpool/pool.ts'

/** Hashes kept for filters that have not polled yet; a client that polls too rarely misses the oldest. */
const PENDING_HASHES_MAX = 65_536

/** Hashes of the transactions added to the pool, in order and numbered by position; shared by all filters. */
export type PendingFeed = {
  /** Starts listening; returns the position of the next hash. */
  start(): number
  /** The hashes from `position` on, and the position after them. */
  since(position: number): { readonly hashes: readonly string[]; readonly position: number }
  /** Stops listening and discards the hashes. */
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
        // Drops half at once, so that each copy follows as many additions.
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
