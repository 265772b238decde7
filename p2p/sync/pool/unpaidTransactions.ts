import type { RecoveredTransaction } from '../../../core/block/transaction.ts'
import { toBareHex } from '../../../core/bytes/hex.ts'
import type { TransactionPool } from '../../../core/txpool/pool.ts'

/** Kept transactions and their encoded bytes. The payment of an honest sender arrives within a block or two. */
const KEPT_MAX = 1_024
const KEPT_BYTES_MAX = 2 * 1024 * 1024

/** New heads after which a transaction is dropped. */
const HEADS_MAX = 3

type Entry = { readonly unpaid: RecoveredTransaction; readonly peer: string; heads: number }

/**
 * Transactions of peers whose senders cannot pay for them yet. The payment may be on its way: gossip has no order, and the peer
 * may have a block that this node lacks.
 */
export type UnpaidTransactions = {
  /** Keeps a transaction of a peer; the oldest of the peer that has the most is dropped to make room. */
  keep(unpaid: RecoveredTransaction, peer: string): void
  /** To be called on each new head. */
  onHead(): void
  stop(): void
}

const addTo = (sets: Map<string, Set<string>>, name: string, key: string): void => {
  sets.set(name, (sets.get(name) ?? new Set()).add(key))
}

const removeFrom = (sets: Map<string, Set<string>>, name: string, key: string): void => {
  const keys = sets.get(name)
  keys?.delete(key)
  if (keys?.size === 0) sets.delete(name)
}

/**
 * @param retry validates a transaction again; true if its sender still cannot pay, so that it is kept.
 * @param onError called with what `retry` throws.
 */
export const createUnpaidTransactions = (
  pool: Pick<TransactionPool, 'onAdded'>,
  retry: (unpaid: RecoveredTransaction) => Promise<boolean>,
  onError: (error: unknown) => void,
): UnpaidTransactions => {
  const kept = new Map<string, Entry>()
  const hashesBySender = new Map<string, Set<string>>()
  /** The oldest first: a peer that floods drops its own transactions. */
  const hashesByPeer = new Map<string, Set<string>>()
  let bytes = 0
  /** Retries run one after the other: each may pay for the next. */
  let lastRetry: Promise<void> = Promise.resolve()

  const drop = (key: string): void => {
    const found = kept.get(key)
    if (found === undefined) return
    kept.delete(key)
    bytes -= found.unpaid.transaction.encoded.length
    removeFrom(hashesBySender, toBareHex(found.unpaid.sender), key)
    removeFrom(hashesByPeer, found.peer, key)
  }

  const isFull = (): boolean => kept.size > KEPT_MAX || bytes > KEPT_BYTES_MAX

  const dropOne = (): void => {
    let most = new Set<string>()
    for (const hashes of hashesByPeer.values()) if (hashes.size > most.size) most = hashes
    for (const oldest of most) return drop(oldest)
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
    keep: (unpaid, peer) => {
      const key = toBareHex(unpaid.transaction.hash)
      if (kept.has(key)) return
      kept.set(key, { unpaid, peer, heads: 0 })
      bytes += unpaid.transaction.encoded.length
      addTo(hashesBySender, toBareHex(unpaid.sender), key)
      addTo(hashesByPeer, peer, key)
      while (isFull()) dropOne()
    },
    onHead: () => {
      for (const [key, found] of kept) if (++found.heads > HEADS_MAX) drop(key)
      retryAll([...kept.keys()])
    },
    stop: () => {
      unsubscribe()
      kept.clear()
      hashesBySender.clear()
      hashesByPeer.clear()
    },
  }
}
