import { createTokenBucket, type TokenBucket } from '../../transport/tokenBucket.ts'
import type { Verdict } from './messageValidation.ts'

/** Verdicts by which a peer is known: an honest one is not slowed down for a few. */
const VERDICTS_MIN = 128
/** When so many are counted, older ones count half: a peer is judged by what it sent lately. */
const VERDICTS_MAX = 1_024
/** A larger part than this must be worthless; an honest node forwards no message of which more than half is. */
const WORTHLESS_SHARE = 2 / 3
/** What is still judged of such a peer: enough for it to show that it has changed, a small part of what a node can judge. */
const TRANSACTIONS_PER_SECOND = 100
/** Peers whose verdicts are kept, more than are connected; the oldest is evicted first. */
const PEERS_MAX = 256

/**
 * How useful the transactions of each peer were lately. A peer of which nearly all are worthless is slowed down, not scored:
 * a node that catches up forwards what others made up.
 */
export type PeerStandings = {
  /** Whether one more transaction of the peer is to be judged. */
  admits(peer: string): boolean
  judged(peer: string, verdict: Verdict): void
}

type Standing = { useful: number; worthless: number; readonly slow: TokenBucket }

export const createPeerStandings = (nowMs: () => number): PeerStandings => {
  const standings = new Map<string, Standing>()

  const standingOf = (peer: string): Standing => {
    const known = standings.get(peer)
    if (known !== undefined) return known
    const slow = createTokenBucket(TRANSACTIONS_PER_SECOND, TRANSACTIONS_PER_SECOND, nowMs)
    const created: Standing = { useful: 0, worthless: 0, slow }
    standings.set(peer, created)
    const [oldest] = standings.keys()
    if (standings.size > PEERS_MAX && oldest !== undefined) standings.delete(oldest)
    return created
  }

  return {
    admits: peer => {
      const standing = standings.get(peer)
      if (standing === undefined) return true
      const { useful, worthless, slow } = standing
      const total = useful + worthless
      if (total < VERDICTS_MIN || worthless <= total * WORTHLESS_SHARE) return true
      if (slow.take(1) === 0) return true
      slow.take(-1)
      return false
    },
    judged: (peer, verdict) => {
      if (verdict !== 'useful' && verdict !== 'worthless') return
      const standing = standingOf(peer)
      standing[verdict]++
      if (standing.useful + standing.worthless < VERDICTS_MAX) return
      standing.useful /= 2
      standing.worthless /= 2
    },
  }
}
