import { toBareHex } from '../../../core/bytes/hex.ts'
import type { SenderTransaction } from '../../../core/block/transaction.ts'
import type { TransactionPool } from '../../../core/txpool/pool.ts'

/** Kept transactions, and their encoded bytes: the payment of an honest one comes within a block or two. */
const KEPT_MAX = 1_024
const KEPT_BYTES_MAX = 2 * 1024 * 1024

/** Heads after which one is forgotten. */
const HEADS_MAX = 3

type Kept = { readonly sent: SenderTransaction; heads: number }

/**
 * Transactions of peers whose senders cannot pay for them yet. The payment may be on its way: gossip has no order, and the peer
 * may have a block that this node does not have yet.
 */
export type UnpaidTransactions = {
  /** Keeps one; the oldest goes when there is no room. */
  keep(sent: SenderTransaction): void
  /** Called with each new head. */
  onHead(): void
  stop(): void
}

/**
 * @param retry judges one again: true where it is refused for want of funds again, and kept on.
 * @param onError told of what `retry` throws.
 */
export const createUnpaidTransactions = (
  pool: Pick<TransactionPool, 'onAdded'>,
  retry: (sent: SenderTransaction) => Promise<boolean>,
  onError: (error: unknown) => void,
): UnpaidTransactions => {
  const kept = new Map<string, Kept>()
  /** Hashes by sender. */
  const ofSender = new Map<string, Set<string>>()
  let bytes = 0
  /** One after the other: what is retried may pay for what comes next. */
  let retrying: Promise<void> = Promise.resolve()

  const forget = (key: string): void => {
    const found = kept.get(key)
    if (found === undefined) return
    kept.delete(key)
    bytes -= found.sent.transaction.encoded.length
    const senderKey = toBareHex(found.sent.sender)
    const others = ofSender.get(senderKey)
    others?.delete(key)
    if (others?.size === 0) ofSender.delete(senderKey)
  }

  const retryAll = (keys: readonly string[]): void => {
    if (keys.length === 0) return
    retrying = retrying
      .then(async () => {
        for (const key of keys) {
          const found = kept.get(key)
          if (found !== undefined && !(await retry(found.sent))) forget(key)
        }
      })
      .catch(onError)
  }

  const unsubscribe = pool.onAdded(({ transaction }) => {
    const { to, value } = transaction
    if (to === undefined || value === 0n || kept.size === 0) return
    const paid = ofSender.get(toBareHex(to))
    if (paid !== undefined) retryAll([...paid])
  })

  return {
    keep: sent => {
      const key = toBareHex(sent.transaction.hash)
      if (kept.has(key)) return
      kept.set(key, { sent, heads: 0 })
      bytes += sent.transaction.encoded.length
      const senderKey = toBareHex(sent.sender)
      ofSender.set(senderKey, (ofSender.get(senderKey) ?? new Set()).add(key))
      for (const oldest of kept.keys()) {
        if (kept.size <= KEPT_MAX && bytes <= KEPT_BYTES_MAX) break
        forget(oldest)
      }
    },
    onHead: () => {
      for (const [key, found] of kept) if (++found.heads > HEADS_MAX) forget(key)
      retryAll([...kept.keys()])
    },
    stop: () => {
      unsubscribe()
      kept.clear()
      ofSender.clear()
    },
  }
}
