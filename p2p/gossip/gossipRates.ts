import { createBoundedCache } from '../../core/collections/boundedMap.ts'
import { createTokenBucket, type TokenBucket } from '../transport/tokenBucket.ts'

type Limit = { readonly transactionsPerSecond: number; readonly bytesPerSecond: number }

/**
 * Accepted and forwarded from all peers together: several times what the fastest network produces. Messages beyond it
 * are ignored, so that no honest node forwards more than that in a flood.
 */
const ALL_PEERS: Limit = { transactionsPerSecond: 8_000, bytesPerSecond: 8 * 1024 * 1024 }
/** A peer that sends more floods: an honest one forwards and originates less. */
const PEER_MAX: Limit = { transactionsPerSecond: 16_000, bytesPerSecond: 16 * 1024 * 1024 }
/**
 * Accepted from each peer whatever the others send, so that a flooding peer does not use up their allowance: what an
 * honest peer originates in a usual network.
 */
const PEER_GUARANTEED: Limit = { transactionsPerSecond: 200, bytesPerSecond: 512 * 1024 }
/** A burst may be as large as the allowance of this many seconds. */
const BURST_SECONDS = 4
/** Peers remembered, more than are connected; the oldest is evicted first. */
const PEERS_MAX = 256
/** Interval between two reports of a flooding peer. */
const REPORT_INTERVAL_MS = 1000

export type GossipRates = {
  /** Returns false, and counts nothing, when this would exceed a rate. */
  admits(peer: string, transactions: number, bytes: number): boolean
}

type Rate = { readonly transactions: TokenBucket; readonly bytes: TokenBucket }
type PeerRate = { readonly max: Rate; readonly guaranteed: Rate; reportedAtMs: number }

/** Limits the transactions accepted from gossip; `onFlooding` reports a peer that sends more than any honest one. */
export const createGossipRates = (nowMs: () => number, onFlooding: (peer: string) => void): GossipRates => {
  const bucket = (perSecond: number): TokenBucket =>
    createTokenBucket(perSecond, BURST_SECONDS * perSecond, nowMs)
  const rateOf = ({ transactionsPerSecond, bytesPerSecond }: Limit): Rate => ({
    transactions: bucket(transactionsPerSecond),
    bytes: bucket(bytesPerSecond),
  })
  const all = rateOf(ALL_PEERS)
  const rateOfPeer = createBoundedCache<PeerRate>(PEERS_MAX, () => ({
    max: rateOf(PEER_MAX),
    guaranteed: rateOf(PEER_GUARANTEED),
    reportedAtMs: -Infinity,
  }))

  const take = (rate: Rate, transactions: number, bytes: number): boolean => {
    const hasTooMany = rate.transactions.take(transactions) > 0
    const isTooLarge = rate.bytes.take(bytes) > 0
    if (!hasTooMany && !isTooLarge) return true
    rate.transactions.take(-transactions)
    rate.bytes.take(-bytes)
    return false
  }

  return {
    admits: (peer, transactions, bytes) => {
      const rate = rateOfPeer(peer)
      if (take(rate.max, transactions, bytes))
        return take(rate.guaranteed, transactions, bytes) || take(all, transactions, bytes)
      if (nowMs() - rate.reportedAtMs >= REPORT_INTERVAL_MS) {
        rate.reportedAtMs = nowMs()
        onFlooding(peer)
      }
      return false
    },
  }
}
