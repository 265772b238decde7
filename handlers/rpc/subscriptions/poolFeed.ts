import { toHex } from '../../../core/bytes/hex.ts'
import type { PooledTransaction } from '../../../core/txpool/pool.ts'
import type { RpcHost } from '../context.ts'
import { pendingDetailShape, pendingTransactionShape } from '../shapes/transaction.ts'
import { createGroups, type Results } from './groups.ts'
import type { Listener } from './lanes.ts'
import type { PendingForm } from './subscriptions.ts'

/**
 * Maximum number of queued transactions. Beyond it there are too many listeners for the rate of transactions, and the oldest
 * ones are dropped.
 */
const QUEUED_MAX = 65_536

/** Notifies of transactions that enter the pool, or that leave it without being mined. */
export type PoolFeed = {
  added(form: PendingForm, listener: Listener): () => void
  dropped(listener: Listener): () => void
}

type Watch = (listener: (transaction: PooledTransaction) => void) => () => void

const TEXTS: Readonly<Record<PendingForm, Results<PooledTransaction>>> = {
  hash: ({ transaction }) => [JSON.stringify(toHex(transaction.hash))],
  detail: pooled => [JSON.stringify(pendingDetailShape(pooled))],
  transaction: pooled => [JSON.stringify(pendingTransactionShape(pooled))],
}

/** A queue for one kind of pool event, so that notifications do not delay the pool. */
const createQueue = (
  watch: Watch,
  { scheduler, warn, reportError }: Pick<RpcHost, 'scheduler' | 'warn' | 'reportError'>,
) => {
  const groups = createGroups<PooledTransaction>('bulk')
  let unsubscribe: (() => void) | undefined
  let queued: PooledTransaction[] = []
  /** Number of the newest transaction, counted from the start. */
  let last = 0
  let running = false

  const notifyAll = async (): Promise<void> => {
    const yieldTurn = scheduler.createYield()
    while (queued.length > 0) {
      const first = last - queued.length + 1
      const batch = queued
      queued = []
      for (const [index, transaction] of batch.entries())
        await groups.notify(transaction, first + index, yieldTurn)
    }
  }

  const run = async (): Promise<void> => {
    if (running) return
    running = true
    try {
      // Yields to the work that fills the pool.
      await Promise.resolve()
      await notifyAll()
    } catch (error) {
      reportError('eth_subscription', error)
    }
    running = false
  }

  const take = (transaction: PooledTransaction): void => {
    last++
    queued.push(transaction)
    if (queued.length > QUEUED_MAX) {
      queued = queued.slice(QUEUED_MAX / 2)
      warn(
        `Notifications of ${QUEUED_MAX / 2} pool transactions are dropped: too many subscribers for the rate of transactions`,
      )
    }
    void run()
  }

  return (key: string, results: Results<PooledTransaction>, listener: Listener): (() => void) => {
    unsubscribe ??= watch(take)
    const remove = groups.add(key, results, listener, last)
    return () => {
      remove()
      if (groups.size > 0) return
      unsubscribe?.()
      unsubscribe = undefined
      queued = []
    }
  }
}

export const createPoolFeed = (
  host: Pick<RpcHost, 'pool' | 'scheduler' | 'warn' | 'reportError'>,
): PoolFeed => {
  const { pool } = host
  const added = createQueue(listener => pool.onAdded(listener), host)
  const dropped = createQueue(listener => pool.onDropped(listener), host)
  return {
    added: (form, listener) => added(form, TEXTS[form], listener),
    dropped: listener => dropped('', TEXTS.hash, listener),
  }
}
