import { getOrCreate } from '../../core/collections/boundedMap.ts'
import type { Misbehaviour, Scoring } from '../network.ts'
import type { Log } from '../log.ts'

/**
 * A peer with this many points is banned. What only a malicious or broken node does has the full weight, what a slow, outdated
 * or unlucky node may do weighs less.
 */
const POINTS_MAX = 100

const WEIGHTS: Readonly<Record<Misbehaviour, number>> = {
  // Every node validates a block before it sends it.
  'invalid-block': 100,
  'invalid-message': 10,
  // A node that syncs forwards gossip without validation: the sender may not be the author.
  'invalid-transaction': 2,
  'oversized-message': 100,
  'bad-response': 34,
  // Reported once a second while it lasts.
  flooding: 20,
}

/** Points forgiven: what happens once a minute never adds up to a ban. */
const POINTS_FORGIVEN_PER_SECOND = 0.5

const BAN_MS = 10 * 60_000
/** Ban of a static node: shorter, so that a repaired one is back soon. */
const STATIC_BAN_MS = 30_000

/** Keys cost nothing to make; the oldest entry is evicted first. */
const ENTRIES_MAX = 1024

type Entry = { points: number; atMs: number; bannedUntilMs: number }

export const createScoring = (options: {
  readonly nowMs: () => number
  readonly log: Log
  readonly isStatic: (id: string) => boolean
}): Scoring => {
  const { nowMs, log, isStatic } = options
  const entries = new Map<string, Entry>()

  const createEntry = (): Entry => ({ points: 0, atMs: nowMs(), bannedUntilMs: 0 })

  return {
    report: (id, name, what, detail) => {
      const entry = getOrCreate(entries, id, createEntry, ENTRIES_MAX)
      const now = nowMs()
      if (entry.bannedUntilMs > now) {
        log.debug('Banned peer {peer}: {what}: {detail}', { peer: name, what, detail })
        return false
      }
      const forgiven = (Math.max(0, now - entry.atMs) / 1000) * POINTS_FORGIVEN_PER_SECOND
      entry.points = Math.max(0, entry.points - forgiven) + WEIGHTS[what]
      entry.atMs = now
      if (entry.points < POINTS_MAX) {
        log.debug('Peer {peer}: {what}: {detail} ({points} of {most} points)', {
          peer: name,
          what,
          detail,
          points: Math.round(entry.points),
          most: POINTS_MAX,
        })
        return false
      }
      const banMs = isStatic(id) ? STATIC_BAN_MS : BAN_MS
      entry.points = 0
      entry.bannedUntilMs = now + banMs
      log.warn('Peer {peer} is banned for {seconds} s: {what}: {detail}', {
        peer: name,
        seconds: banMs / 1000,
        what,
        detail,
      })
      return true
    },
    isBanned: id => (entries.get(id)?.bannedUntilMs ?? 0) > nowMs(),
    forgive: id => {
      entries.delete(id)
    },
  }
}
