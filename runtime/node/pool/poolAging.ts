import type { TransactionPool } from '../../../core/txpool/pool.ts'
import type { Log } from '../../logging/log.ts'
import { exclusiveTurn } from '../../scheduler.ts'

/** Interval between removals of old transactions, which are kept for hours. */
const INTERVAL_MS = 30_000

/** Transactions dropped in one step: about a millisecond. */
const DROPPED_AT_ONCE = 100

export type PoolAgingOptions = {
  readonly pool: Pick<TransactionPool, 'dropOlderThan'>
  readonly retentionMs: number
  readonly nowMs: () => number
  readonly log: Log
}

/** Drops all transactions older than the retention time. Returns their number. */
export const dropOld = async ({ pool, retentionMs, nowMs, log }: PoolAgingOptions): Promise<number> => {
  let count = 0
  for (;;) {
    const dropped = pool.dropOlderThan(nowMs() - retentionMs, DROPPED_AT_ONCE)
    count += dropped
    if (dropped < DROPPED_AT_ONCE) break
    await exclusiveTurn()
  }
  if (count > 0)
    log.info('Dropped {count} transactions that waited for {hours} hours (--tx-pool-retention-hours)', {
      count,
      hours: retentionMs / 3_600_000,
    })
  return count
}

/** Drops old transactions regularly. Returns the function that stops it, which resolves when no removal is in progress. */
export const startPoolAging = (options: PoolAgingOptions): (() => Promise<void>) => {
  let running: Promise<unknown> = Promise.resolve()
  const timer = setInterval(() => {
    running = running.then(() => dropOld(options))
  }, INTERVAL_MS)
  return async () => {
    clearInterval(timer)
    await running
  }
}
