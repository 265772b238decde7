import { ownedNetwork } from './transport/addressNetwork.ts'

/** An honest node sends its first packet with its connection: one that has sent nothing for this long may be evicted. */
const SILENT_MS = 100
/** The packet arrives in one piece, or in pieces one round trip apart. */
const INCOMPLETE_MS = 500

/** A connection of which no packet is complete: its handshake has cost nothing but its place. */
export type PendingHandshake = {
  readonly host: string
  readonly openedAtMs: number
  /** Whether anything arrived. */
  hasSent: boolean
  /** Ends the connection. */
  readonly evict: () => void
}

export type PendingOptions = {
  readonly placesMax: number
  readonly nowMs: () => number
  /** Connections of this address ended without a handshake again and again. */
  readonly isSilent: (host: string) => boolean
  /** Hosts of validators and static nodes. */
  readonly isKnown: (host: string) => boolean
}

/** The places of connections whose handshake is not complete. A full table makes room for a new one. */
export type PendingHandshakes = {
  readonly size: number
  /** Takes a place; undefined if there is none. Called again, the returned function does nothing. */
  add(pending: PendingHandshake): (() => void) | undefined
}

/**
 * Whom to evict, by the strength of the reason: who is silent at an address that often is, who is silent, who is slow. The oldest of
 * them; a known host only for another one.
 */
const victimOf = (
  { nowMs, isSilent, isKnown }: PendingOptions,
  all: Iterable<PendingHandshake>,
  newcomer: PendingHandshake,
): PendingHandshake | undefined => {
  const now = nowMs()
  const isNewcomerKnown = isKnown(newcomer.host)
  const candidates = [...all].filter(({ host }) => isNewcomerKnown || !isKnown(host) || isSilent(host))
  const ageOf = ({ openedAtMs }: PendingHandshake): number => now - openedAtMs
  return (
    candidates.find(each => !each.hasSent && isSilent(each.host)) ??
    candidates.find(each => !each.hasSent && ageOf(each) >= SILENT_MS) ??
    candidates.find(each => isSilent(each.host) && ageOf(each) >= SILENT_MS) ??
    candidates.find(each => ageOf(each) >= INCOMPLETE_MS) ??
    (isNewcomerKnown ? candidates.find(({ host }) => !isKnown(host)) : undefined)
  )
}

export const createPendingHandshakes = (options: PendingOptions): PendingHandshakes => {
  /** In the order of their arrival. */
  const all = new Set<PendingHandshake>()
  return {
    get size() {
      return all.size
    },
    add: pending => {
      if (all.size >= options.placesMax) {
        const victim = victimOf(options, all, pending)
        if (victim === undefined) return undefined
        all.delete(victim)
        victim.evict()
      }
      all.add(pending)
      return () => void all.delete(pending)
    },
  }
}

/** Hosts remembered: more than a network has validators. */
const HOSTS_MAX = 256

/** The hosts from which validators and static nodes have connected, or at which they are configured. */
export type KnownHosts = { add(host: string): void; has(host: string): boolean }

export const createKnownHosts = (hosts: Iterable<string>): KnownHosts => {
  const known = new Set<string>()
  const add = (host: string): void => {
    const network = ownedNetwork(host)
    known.delete(network)
    known.add(network)
    const [oldest] = known
    if (known.size > HOSTS_MAX && oldest !== undefined) known.delete(oldest)
  }
  for (const host of hosts) add(host)
  return { add, has: host => known.has(ownedNetwork(host)) }
}
