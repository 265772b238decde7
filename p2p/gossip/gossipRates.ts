import { createTokenBucket, type TokenBucket } from '../transport/tokenBucket.ts'

type Limit = { readonly transactionsPerSecond: number; readonly bytesPerSecond: number }

/**
 * Accepted and forwarded from all peers together: several times what the fastest network produces. Messages beyond it are
 * ignored, so that no honest node forwards more than that, whoever floods it.
 */
const TAKEN: Limit = { transactionsPerSecond: 8_000, bytesPerSecond: 8 * 1024 * 1024 }
/** What one peer may send before it counts as flooding: above what an honest one forwards and originates. */
const OF_PEER: Limit = { transactionsPerSecond: 16_000, bytesPerSecond: 16 * 1024 * 1024 }
/**
 * Accepted of one peer whatever all others send, so that a peer that floods does not use up the allowance of the others: what
 * an honest one originates in a usual network.
 */
const OF_PEER_ALWAYS: Limit = { transactionsPerSecond: 200, bytesPerSecond: 512 * 1024 }
/** A burst has as much as this many seconds allow. */
const BURST_SECONDS = 4
/** Peers whose rate is kept, more than are connected; the oldest is evicted first. */
const PEERS_MAX = 256
/** Interval between two reports of a flooding peer. */
const REPORT_INTERVAL_MS = 1000

export type GossipRates = {
  /** Returns false, and counts nothing, when this would exceed a rate. */
  takes(peer: string, transactions: number, bytes: number): boolean
}

type Rate = { readonly transactions: TokenBucket; readonly bytes: TokenBucket }
type PeerRate = { readonly most: Rate; readonly always: Rate; reportedAtMs: number }

/** Limits the transactions accepted from gossip; `onFlooding` reports a peer that sends more than any honest one. */
export const createGossipRates = (nowMs: () => number, onFlooding: (peer: string) => void): GossipRates => {
  const bucket = (perSecond: number): TokenBucket =>
    createTokenBucket(perSecond, BURST_SECONDS * perSecond, nowMs)
  const rateOf = ({ transactionsPerSecond, bytesPerSecond }: Limit): Rate => ({
    transactions: bucket(transactionsPerSecond),
    bytes: bucket(bytesPerSecond),
  })
  const all = rateOf(TAKEN)
  const peers = new Map<string, PeerRate>()

  const ofPeer = (peer: string): PeerRate => {
    const known = peers.get(peer)
    if (known !== undefined) return known
    const created: PeerRate = {
      most: rateOf(OF_PEER),
      always: rateOf(OF_PEER_ALWAYS),
      reportedAtMs: -Infinity,
    }
    peers.set(peer, created)
    const [oldest] = peers.keys()
    if (peers.size > PEERS_MAX && oldest !== undefined) peers.delete(oldest)
    return created
  }

  const take = (rate: Rate, transactions: number, bytes: number): boolean => {
    const isTooMany = rate.transactions.take(transactions) > 0
    const isTooLong = rate.bytes.take(bytes) > 0
    if (!isTooMany && !isTooLong) return true
    rate.transactions.take(-transactions)
    rate.bytes.take(-bytes)
    return false
  }

  return {
    takes: (peer, transactions, bytes) => {
      const rate = ofPeer(peer)
      if (take(rate.most, transactions, bytes))
        return take(rate.always, transactions, bytes) || take(all, transactions, bytes)
      if (nowMs() - rate.reportedAtMs >= REPORT_INTERVAL_MS) {
        rate.reportedAtMs = nowMs()
        onFlooding(peer)
      }
      return false
    },
  }
}
