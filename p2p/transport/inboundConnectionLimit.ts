import { createBoundedCache } from '../../core/collections/boundedMap.ts'
import { ownedNetwork } from './addressNetwork.ts'
import { admit, createTokenBucket, type TokenBucket } from './tokenBucket.ts'

/**
 * Connections of unknown nodes from one address: all nodes of a network may run on one machine, or behind one router,
 * start together, and reconnect after each restart.
 */
const UNKNOWN_BURST = 128
const UNKNOWN_PER_SECOND = 1
/** Tokens that a ban for flooding takes from the address: in the long run one such node a minute may connect. */
const FLOOD_COST = 60

/** Connections of one validator or static node: both sides may dial at once, and again after each restart. */
const KNOWN_BURST = 16
const KNOWN_PER_SECOND = 0.5

/**
 * Connections of banned nodes from one address. An honest node does not know of its ban and redials every few seconds.
 */
const BANNED_BURST = 8
const BANNED_PER_SECOND = 0.5

/**
 * Handshakes with an address that has used up its allowance: each takes milliseconds of curve arithmetic, and allocates
 * a megabyte. A validator behind the same address still gets through, and this node dials it as well.
 */
const HANDSHAKES_BURST = 8
const HANDSHAKES_PER_SECOND = 2

/**
 * Handshakes with unknown addresses, all of them together: with some milliseconds for each, a fifth of the network thread at most. A
 * network that starts is at hand within the burst.
 */
const ALL_BURST = 256
const ALL_PER_SECOND = 50

/** Connections of one address that ended without a handshake: a port scan, or a node that was killed, has a few. */
const SILENT_BURST = 32
const SILENT_PER_SECOND = 1

/** Addresses and keys remembered; the oldest is evicted first. */
const ENTRIES_MAX = 1024

/**
 * Limits inbound connections: of unknown nodes by address, because keys cost nothing to make, of known nodes by key. Public IPv6
 * addresses with the same first 64 bits count as one.
 */
export type InboundConnectionLimit = {
  /** False when the address has used up its allowance. Called before the handshake, which is expensive. */
  admitsHandshake(host: string): boolean
  /** False when all addresses together have used up theirs; to be called for those that are not known, once their own one admits it. */
  admitsOneOfAll(): boolean
  /** To be called when a handshake was computed in vain. */
  failed(host: string): void
  /** False when the node connects too often: a known one by its id, an unknown one by its address. */
  admits(host: string, id: string, isKnown: boolean): boolean
  /** To be called when a banned node tries to connect. */
  refusedBanned(host: string): void
  /** To be called when an unknown node is banned for flooding. */
  flooded(host: string): void
  /** To be called when a connection ended without a handshake: its time ran out, or it made room. */
  silent(host: string): void
  /** True for an address with many of these: its connections make room for others first. */
  isSilent(host: string): boolean
}

/** Whether a whole token is left; takes none. */
const hasToken = (bucket: TokenBucket): boolean => {
  const has = bucket.take(1) === 0
  bucket.take(-1)
  return has
}

const isOpen = (bucket: TokenBucket): boolean => bucket.take(0) === 0

export const createInboundConnectionLimit = (nowMs: () => number): InboundConnectionLimit => {
  const byNetwork = (perSecond: number, burst: number): ((host: string) => TokenBucket) => {
    const buckets = createBoundedCache(ENTRIES_MAX, () => createTokenBucket(perSecond, burst, nowMs))
    return host => buckets(ownedNetwork(host))
  }
  const unknown = byNetwork(UNKNOWN_PER_SECOND, UNKNOWN_BURST)
  const known = createBoundedCache(ENTRIES_MAX, () => createTokenBucket(KNOWN_PER_SECOND, KNOWN_BURST, nowMs))
  const banned = byNetwork(BANNED_PER_SECOND, BANNED_BURST)
  const all = createTokenBucket(ALL_PER_SECOND, ALL_BURST, nowMs)
  const silent = byNetwork(SILENT_PER_SECOND, SILENT_BURST)
  const handshakes = byNetwork(HANDSHAKES_PER_SECOND, HANDSHAKES_BURST)

  return {
    admitsOneOfAll: () => admit(all),
    failed: host => {
      admit(unknown(host))
    },
    admitsHandshake: host => {
      if (isOpen(unknown(host)) && isOpen(banned(host))) return true
      return admit(handshakes(host))
    },
    admits: (host, id, isKnown) => admit(isKnown ? known(id) : unknown(host)),
    refusedBanned: host => {
      admit(banned(host))
    },
    flooded: host => {
      unknown(host).take(FLOOD_COST)
    },
    silent: host => {
      const bucket = silent(host)
      if (hasToken(bucket)) bucket.take(1)
    },
    isSilent: host => !hasToken(silent(host)),
  }
}
