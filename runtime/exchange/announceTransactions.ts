import type { PooledTransaction, TransactionPool } from '../../core/txpool/pool.ts'
import type { Network } from '../../p2p/network.ts'

/** A node that connected has joined the gossip by then, and those that connected with it too. */
const AGAIN_AFTER_MS = 2_000

/** Told again when a node connects: what it may lack is what was sent while it was cut off. */
const AGAIN_TRANSACTIONS_MAX = 2_048
const AGAIN_BYTES_MAX = 2 * 1024 * 1024

export type TransactionAnnouncer = {
  /** A node connected: it may lack what was told before. */
  nodeConnected(): void
  stop(): void
}

/**
 * Tells others of the transactions that came to the pool here; the network gathers those of one moment. What came from
 * others it passes on by itself: telling that again would make every node tell everything.
 */
export const startAnnouncingTransactions = (
  pool: TransactionPool,
  network: () => Network | undefined,
): TransactionAnnouncer => {
  let again: ReturnType<typeof setTimeout> | undefined

  /** Said to nobody it would count as said, and not be sent when it is said again. */
  const listeners = (): Network | undefined => {
    const found = network()
    return found === undefined || found.peers().length === 0 ? undefined : found
  }

  const localOnes = (): Uint8Array[] => {
    const found: Uint8Array[] = []
    let bytes = 0
    for (const { local, transaction } of pool.list()) {
      if (!local) continue
      bytes += transaction.encoded.length
      if (found.length >= AGAIN_TRANSACTIONS_MAX || bytes > AGAIN_BYTES_MAX) break
      found.push(transaction.encoded)
    }
    return found
  }

  const tellAgain = (): void => {
    again = undefined
    const told = localOnes()
    if (told.length > 0) listeners()?.announceTransactions(told)
  }

  const unsubscribe = pool.onAdded(({ local, transaction }: PooledTransaction) => {
    if (local) listeners()?.announceTransactions([transaction.encoded])
  })

  return {
    nodeConnected: () => {
      again ??= setTimeout(tellAgain, AGAIN_AFTER_MS)
    },
    stop: () => {
      unsubscribe()
      clearTimeout(again)
    },
  }
}
