import { createBoundedCache } from '../../../core/collections/boundedMap.ts'
import { createTokenBucket, type TokenBucket } from '../../transport/tokenBucket.ts'
import type { EthPeer } from '../eth/ethPeer.ts'

/**
 * Announced transactions of one peer: each costs microseconds, and repeated ones are compressed to next to nothing. A peer
 * announces its pool when it connects, and then each transaction once. What is dropped above the limit comes from other peers,
 * or in a block.
 */
const HASHES_PER_SECOND = 16_384
const HASHES_BURST = 65_536
/** Bytes of one, at least: a hash with its length. */
const ANNOUNCED_BYTES = 33
/** Interval between two reports of a peer that announces more. */
const REPORT_INTERVAL_MS = 1_000
/** Peers whose rate is remembered, so that a new connection allows no new burst. */
const PEERS_MAX = 1024

type Announcing = { readonly hashes: TokenBucket; reportedAtMs: number }

/** Returns whether a message with announcements of this length is read. A peer that sends too many is reported. */
export const createAnnouncementLimit = (nowMs: () => number): ((peer: EthPeer, bytes: number) => boolean) => {
  const announcing = createBoundedCache(
    PEERS_MAX,
    (): Announcing => ({
      hashes: createTokenBucket(HASHES_PER_SECOND, HASHES_BURST, nowMs),
      reportedAtMs: Number.NEGATIVE_INFINITY,
    }),
  )
  return ({ session }, bytes) => {
    const entry = announcing(session.id)
    if (entry.hashes.take(0) === 0) {
      entry.hashes.take(Math.ceil(bytes / ANNOUNCED_BYTES))
      return true
    }
    // What is not read takes no tokens, so that the peer is heard again soon.
    if (nowMs() - entry.reportedAtMs >= REPORT_INTERVAL_MS) {
      entry.reportedAtMs = nowMs()
      session.events.onMisbehaviour(session, 'flooding', 'more announced transactions than allowed')
    }
    return false
  }
}
