import type { Chain } from '../../../core/chain/chain.ts'
import { SENDER_WAIT_MS } from '../../../core/txpool/overruns.ts'
import type { TransactionPool } from '../../../core/txpool/pool.ts'
import type { Network } from '../../network.ts'

/** Age from which a transaction is announced again: by then the validators would have included what they have. */
const AGE_MS_MIN = 10_000

/**
 * Age up to which it is announced again. A validator that dropped a transaction because it ran too long refuses its sender
 * for this time: announcing it later would make the validators execute it again.
 */
const AGE_MS_MAX = SENDER_WAIT_MS

/** Interval between announcements. */
const INTERVAL_MS = 10_000

/** Transactions of one announcement: little beside what gossip carries, and more than such a pool keeps from blocks. */
const TRANSACTIONS_MAX = 64

export type AnnounceAgainOptions = {
  readonly chain: Pick<Chain, 'onHead'>
  readonly pool: Pick<TransactionPool, 'isKnown' | 'isRunnable' | 'list'>
  readonly network: () => Pick<Network, 'announceTransactions'> | undefined
  /** Milliseconds since 1970. */
  readonly nowMs: () => number
}

/**
 * Announces executable transactions again that blocks have not included: the pools of the validators may have been full when
 * they were first announced.
 * @returns the function that stops it
 */
export const startAnnouncingAgain = ({ chain, pool, network, nowMs }: AnnounceAgainOptions): (() => void) => {
  let lastMs = nowMs()
  return chain.onHead(() => {
    const now = nowMs()
    if (now - lastMs < INTERVAL_MS) return
    lastMs = now
    const waiting = pool
      .list()
      .filter(({ addedAtMs, sender }) => {
        const ageMs = now - addedAtMs
        return ageMs >= AGE_MS_MIN && ageMs <= AGE_MS_MAX && pool.isRunnable(sender)
      })
      // Anybody can invent senders: those that are known come first.
      .sort((a, b) => Number(pool.isKnown(b.sender)) - Number(pool.isKnown(a.sender)))
      .slice(0, TRANSACTIONS_MAX)
    if (waiting.length > 0)
      network()?.announceTransactions(waiting.map(({ transaction }) => transaction.encoded))
  })
}
