import type { PoolEntry, SenderQueue } from './senderQueue.ts'

/** The higher, the earlier the sender's last transaction goes when room is needed. */
const rankOf = ({ isKnown, ready, payable, entries }: SenderQueue): number => {
  if (!isKnown) return payable < entries.length ? 4 : 3
  if (payable < ready) return 2
  return ready < entries.length ? 1 : 0
}

/**
 * Which queue gives up its last entry first when the pool is full: one of a sender that the state does not know, then
 * one that its sender cannot pay for, one that waits behind a gap, the worst paying, one of a peer rather than one of this
 * node's RPC (`localPriority`), the one that reaches farthest from its account nonce, the one that came last.
 */
export const evictionOrder =
  (localPriority: boolean) =>
  (a: SenderQueue, b: SenderQueue): boolean => {
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
