import { getOrCreate } from '../../../core/collections/boundedMap.ts'
import { createTokenBucket, type TokenBucket } from '../../transport/tokenBucket.ts'
import type { ValidationResult } from './messageValidation.ts'

/** Results before a peer can be throttled: a few worthless transactions do not harm an honest peer. */
const RESULTS_MIN = 128
/** At this many results the counts are halved, so that recent results weigh more. */
const RESULTS_MAX = 1_024
/** A peer above this share is throttled. An honest node forwards no message of which more than half is worthless. */
const WORTHLESS_SHARE_MAX = 2 / 3
/** Rate of a throttled peer: enough to show that it has changed, and a small part of what a node can validate. */
const THROTTLED_PER_SECOND = 100
/** Peers remembered, more than are connected; the oldest is evicted first. */
const PEERS_MAX = 256

/**
 * Throttles peers whose recent transactions were nearly all worthless. Their score is not lowered: a node that syncs forwards
 * transactions without validation.
 */
export type PeerUsefulness = {
  /** True if one more transaction of the peer is to be validated. */
  admits(peer: string): boolean
  record(peer: string, result: ValidationResult): void
}

type Counts = { useful: number; worthless: number; readonly throttle: TokenBucket }

export const createPeerUsefulness = (nowMs: () => number): PeerUsefulness => {
  const peers = new Map<string, Counts>()

  const createCounts = (): Counts => ({
    useful: 0,
    worthless: 0,
    throttle: createTokenBucket(THROTTLED_PER_SECOND, THROTTLED_PER_SECOND, nowMs),
  })

  return {
    admits: peer => {
      const counts = peers.get(peer)
      if (counts === undefined) return true
      const { useful, worthless, throttle } = counts
      const total = useful + worthless
      if (total < RESULTS_MIN || worthless <= total * WORTHLESS_SHARE_MAX) return true
      if (throttle.take(1) === 0) return true
      throttle.take(-1)
      return false
    },
    record: (peer, result) => {
      if (result !== 'useful' && result !== 'worthless') return
      const counts = getOrCreate(peers, peer, createCounts, PEERS_MAX)
      counts[result]++
      if (counts.useful + counts.worthless < RESULTS_MAX) return
      counts.useful /= 2
      counts.worthless /= 2
    },
  }
}
