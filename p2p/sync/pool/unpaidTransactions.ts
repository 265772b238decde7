import type { SenderTransaction } from '../../../core/block/transaction.ts'
import { toBareHex } from '../../../core/bytes/hex.ts'
import type { TransactionPool } from '../../../core/txpool/pool.ts'

/** Kept transactions and their encoded bytes. The payment of an honest sender arrives within a block or two. */
const KEPT_MAX = 1_024
const KEPT_BYTES_MAX = 2 * 1024 * 1024

/** New heads after which a transaction is dropped. */
const HEADS_MAX = 3

type Kept = { readonly unpaid: SenderTransaction; heads: number }

/**
 * Transactions of peers whose senders cannot pay for them yet. The payment may be on its way: gossip has no order, and the peer
 * may have a block that this node lacks.
 */
export type UnpaidTransactions = {
  /** Keeps a transaction; the oldest is dropped to make room. */
  keep(unpaid: SenderTransaction): void
  /** To be called on each new head. */
  onHead(): void
  stop(): void
}

/**
 * @param retry validates a transaction again; true if its sender still cannot pay, so that it is kept.
 * @param onError called with what `retry` throws.
 */
export const createUnpaidTransactions = (
  pool: Pick<TransactionPool, 'onAdded'>,
  retry: (unpaid: SenderTransaction) => Promise<boolean>,
  onError: (error: unknown) => void,
): UnpaidTransactions => {
  const kept = new Map<string, Kept>()
  const hashesBySender = new Map<string, Set<string>>()
  let bytes = 0
  /** Retries run one after the other: each may pay for the next. */
  let lastRetry: Promise<void> = Promise.resolve()

  const drop = (key: string): void => {
    const found = kept.get(key)
    if (found === undefined) return
    kept.delete(key)
    bytes -= found.unpaid.transaction.encoded.length
    const senderKey = toBareHex(found.unpaid.sender)
    const others = hashesBySender.get(senderKey)
    others?.delete(key)
    if (others?.size === 0) hashesBySender.delete(senderKey)
  }

  const retryAll = (keys: readonly string[]): void => {
    if (keys.length === 0) return
    lastRetry = lastRetry
      .then(async () => {
        for (const key of keys) {
          const found = kept.get(key)
          if (found !== undefined && !(await retry(found.unpaid))) drop(key)
        }
      })
      .catch(onError)
  }

  const unsubscribe = pool.onAdded(({ transaction }) => {
    const { to, value } = transaction
    if (to === undefined || value === 0n || kept.size === 0) return
    const paid = hashesBySender.get(toBareHex(to))
    if (paid !== undefined) retryAll([...paid])
  })

  return {
    keep: unpaid => {
      const key = toBareHex(unpaid.transaction.hash)
      if (kept.has(key)) return
      kept.set(key, { unpaid, heads: 0 })
      bytes += unpaid.transaction.encoded.length
      const senderKey = toBareHex(unpaid.sender)
      hashesBySender.set(senderKey, (hashesBySender.get(senderKey) ?? new Set()).add(key))
      for (const oldest of kept.keys()) {
        if (kept.size <= KEPT_MAX && bytes <= KEPT_BYTES_MAX) break
        drop(oldest)
      }
    },
    onHead: () => {
      for (const [key, found] of kept) if (++found.heads > HEADS_MAX) drop(key)
      retryAll([...kept.keys()])
    },
    stop: () => {
      unsubscribe()
      kept.clear()
      hashesBySender.clear()
    },
  }
}
