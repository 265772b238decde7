import { createRecent } from './recent.ts'
import { createTokenBucket, type TokenBucket } from './tokenBucket.ts'

/**
 * Strangers that one address may bring: all nodes of a network may be on one machine, or behind one router, and start
 * together, and each comes back when it was restarted.
 */
const STRANGERS_BURST = 128
const STRANGERS_PER_SECOND = 1
/** What a stranger that had to be banned for flooding costs its address: in the long run such come once in a minute. */
const FLOOD_COST = 60

/** Of one validator or static node: two that dial each other at once, and again after each restart. */
const KNOWN_BURST = 16
const KNOWN_PER_SECOND = 0.5

/** A node that is banned does not know it, and dials again every few seconds. */
const BANNED_BURST = 8
const BANNED_PER_SECOND = 0.5

/**
 * Handshakes with an address that has used up what it may: each takes milliseconds of curve arithmetic, and makes a megabyte of
 * garbage. A validator behind the same address still gets through, and is dialed by this node, too.
 */
const HANDSHAKES_BURST = 8
const HANDSHAKES_PER_SECOND = 2

/** Addresses, and keys, that are remembered; the oldest is forgotten first. */
const ENTRIES_MAX = 1024

/** Who connects, by address where anybody may have made the key, else by key. Connections that this node makes are not counted. */
export type Arrivals = {
  /** False when the address has brought too many: asked before the handshake, which is dear. */
  admitsHandshake(host: string): boolean
  /** False when it comes too often. Only a known one is told apart from the others at its address. */
  admits(host: string, id: string, isKnown: boolean): boolean
  /** A key that is banned came again. */
  refusedBanned(host: string): void
  /** A stranger was banned for flooding. */
  flooded(host: string): void
}

const isOpen = (bucket: TokenBucket): boolean => bucket.take(0) === 0

/** Who is refused pays nothing, or who goes on trying would never be let in again. */
const admit = (bucket: TokenBucket): boolean => {
  const open = isOpen(bucket)
  if (open) bucket.take(1)
  return open
}

export const createArrivals = (nowMs: () => number): Arrivals => {
  const strangers = createRecent(ENTRIES_MAX, () =>
    createTokenBucket(STRANGERS_PER_SECOND, STRANGERS_BURST, nowMs),
  )
  const known = createRecent(ENTRIES_MAX, () => createTokenBucket(KNOWN_PER_SECOND, KNOWN_BURST, nowMs))
  const banned = createRecent(ENTRIES_MAX, () => createTokenBucket(BANNED_PER_SECOND, BANNED_BURST, nowMs))
  const handshakes = createRecent(ENTRIES_MAX, () =>
    createTokenBucket(HANDSHAKES_PER_SECOND, HANDSHAKES_BURST, nowMs),
  )

  return {
    admitsHandshake: host => {
      if (isOpen(strangers(host)) && isOpen(banned(host))) return true
      return admit(handshakes(host))
    },
    admits: (host, id, isKnown) => admit(isKnown ? known(id) : strangers(host)),
    refusedBanned: host => {
      admit(banned(host))
    },
    flooded: host => {
      strangers(host).take(FLOOD_COST)
    },
  }
}
