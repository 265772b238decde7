import type { PoolOptions } from './admission.ts'
import type { PoolEntry, SenderQueue } from './senderQueue.ts'

/** The rank of a sender's last transaction; a higher rank is evicted earlier. */
const rankOf = ({ isKnown, ready, payable, entries }: SenderQueue): number => {
  if (!isKnown) return payable < entries.length ? 4 : 3
  if (payable < ready) return 2
  return ready < entries.length ? 1 : 0
}

/**
 * The order in which queues lose their last entry when the pool is full. Queues of priority senders are last. Of the others
 * come first those of unknown senders, then those whose sender cannot pay for the last entry, those with a gap, those with
 * the lowest price, those of peers before those of this node's RPC (with `localPriority`), those whose last nonce is
 * farthest from the account's, the latest.
 */
export const evictionOrder =
  ({ localPriority, prioritySenders }: Pick<PoolOptions, 'localPriority' | 'prioritySenders'>) =>
  (a: SenderQueue, b: SenderQueue): boolean => {
    const isPreferred = prioritySenders.has(b.key)
    if (prioritySenders.has(a.key) !== isPreferred) return isPreferred
    const aRank = rankOf(a)
    const bRank = rankOf(b)
    if (aRank !== bRank) return aRank > bRank
    if (a.feeMin !== b.feeMin) return a.feeMin < b.feeMin
    const aLast = a.entries[a.entries.length - 1] as PoolEntry
    const bLast = b.entries[b.entries.length - 1] as PoolEntry
    if (localPriority && aLast.local !== bLast.local) return bLast.local
    const aDistance = aLast.transaction.nonce - a.accountNonce
    const bDistance = bLast.transaction.nonce - b.accountNonce
    if (aDistance !== bDistance) return aDistance > bDistance
    return aLast.sequence > bLast.sequence
  }
