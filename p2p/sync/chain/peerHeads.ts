import type { Address } from '../../../core/bytes/bytes.ts'
import { toBareHex } from '../../../core/bytes/hex.ts'
import { setBounded } from '../../../core/collections/boundedMap.ts'
import type { Peer } from '../../network.ts'

/** How long the claim of a peer is ignored after a failure; doubled for each further one. */
const IGNORED_MIN_MS = 5_000
const IGNORED_MAX_MS = 600_000

/** A slow peer is asked last for this long. */
const SLOW_MS = 60_000

/** Peers whose failures are remembered, so that a reconnect does not clear them. */
const REMEMBERED_MAX = 1_024

type Failures = { count: number; ignoredUntilMs: number; slowUntilMs: number }

/** A connected peer and the highest block that it claims to have. */
export type PeerHead = {
  /** The address of the peer as hex digits. */
  readonly key: string
  readonly peer: Peer
  readonly claimed: bigint
}

/** The highest blocks that the connected peers claim, and how reliably they delivered. Times in milliseconds since 1970. */
export type PeerHeads = {
  readonly heads: Map<string, PeerHead>
  readonly failures: Map<string, Failures>
}

export const createPeerHeads = (): PeerHeads => ({ heads: new Map(), failures: new Map() })

const failuresOf = ({ failures }: PeerHeads, key: string): Failures => {
  const known = failures.get(key) ?? { count: 0, ignoredUntilMs: 0, slowUntilMs: 0 }
  setBounded(failures, key, known, REMEMBERED_MAX)
  return known
}

/** Records the claim of a peer that connected or sent a new status. */
export const updateHead = ({ heads }: PeerHeads, peer: Peer): void => {
  const key = toBareHex(peer.address)
  heads.set(key, { key, peer, claimed: peer.status.headNumber })
}

/** Raises the claim of a peer whose message implies that it has blocks up to this number. */
export const raiseHead = ({ heads }: PeerHeads, address: Address, number: bigint): void => {
  const key = toBareHex(address)
  const head = heads.get(key)
  if (head !== undefined && number > head.claimed) heads.set(key, { ...head, claimed: number })
}

/** Removes a peer that disconnected. */
export const removeHead = ({ heads, failures }: PeerHeads, address: Address): void => {
  const key = toBareHex(address)
  heads.delete(key)
  const known = failures.get(key)
  if (known?.count === 0) known.ignoredUntilMs = 0
}

/** Clears the failures of a peer that delivered valid blocks. */
export const clearFailures = ({ failures }: PeerHeads, key: string): void => {
  const known = failures.get(key)
  if (known === undefined) return
  known.count = 0
  known.ignoredUntilMs = 0
}

/** Ignores the claim of a peer for a while: it did not deliver a block that it claims, or delivered a wrong one. */
export const ignoreClaim = (peers: PeerHeads, key: string, nowMs: number): void => {
  const known = failuresOf(peers, key)
  known.ignoredUntilMs = nowMs + Math.min(IGNORED_MIN_MS * 2 ** Math.min(known.count, 16), IGNORED_MAX_MS)
  known.count++
}

/** Ignores the claim of a peer for a short while, or until it reconnects: its connection failed. */
export const ignoreForNow = (peers: PeerHeads, key: string, nowMs: number): void => {
  const known = failuresOf(peers, key)
  known.ignoredUntilMs = Math.max(known.ignoredUntilMs, nowMs + IGNORED_MIN_MS)
}

export const markSlow = (peers: PeerHeads, key: string, nowMs: number): void => {
  failuresOf(peers, key).slowUntilMs = nowMs + SLOW_MS
}

const activeHeads = ({ heads, failures }: PeerHeads, nowMs: number): PeerHead[] =>
  [...heads.values()].filter(({ key }) => (failures.get(key)?.ignoredUntilMs ?? 0) <= nowMs)

/** The highest claim that is not ignored. */
export const highestClaim = (peers: PeerHeads, nowMs: number): bigint | undefined => {
  let highest: bigint | undefined
  for (const { claimed } of activeHeads(peers, nowMs))
    if (highest === undefined || claimed > highest) highest = claimed
  return highest
}

/** True for a block that the peer has not removed. */
const keeps = ({ peer: { status } }: PeerHead, number: bigint): boolean =>
  number >= (status.historyStart ?? 0n)

/** A peer that removes old blocks may have removed those of a request meanwhile: this many at most. */
const REMOVED_MEANWHILE_MAX = 1_024n

/** True for a block that the peer may have removed since its last status. */
export const mayHaveRemoved = ({ peer: { status } }: PeerHead, number: bigint): boolean =>
  status.historyStart !== undefined && number < status.historyStart + REMOVED_MEANWHILE_MAX

/**
 * The first block that any peer keeps, where all peers that are ahead have removed block `number`; undefined where one of them
 * keeps it, or none is ahead.
 */
export const firstKeptBlock = (peers: PeerHeads, number: bigint, nowMs: number): bigint | undefined => {
  let first: bigint | undefined
  for (const head of activeHeads(peers, nowMs)) {
    if (head.claimed < number) continue
    if (keeps(head, number)) return undefined
    const { historyStart } = head.peer.status
    if (historyStart !== undefined && (first === undefined || historyStart < first)) first = historyStart
  }
  return first
}

/** Peers that claim the block, have not removed it and are not ignored; fast and reliable ones first. */
export const holdersOf = (peers: PeerHeads, number: bigint, nowMs: number): readonly PeerHead[] => {
  const isSlow = (key: string): boolean => (peers.failures.get(key)?.slowUntilMs ?? 0) > nowMs
  const failureCount = (key: string): number => peers.failures.get(key)?.count ?? 0
  return activeHeads(peers, nowMs)
    .filter(head => head.claimed >= number && keeps(head, number))
    .sort(
      (a, b) => Number(isSlow(a.key)) - Number(isSlow(b.key)) || failureCount(a.key) - failureCount(b.key),
    )
}

/** When the next ignored claim counts again; undefined if none is ignored. */
export const nextClaimMs = ({ heads, failures }: PeerHeads, nowMs: number): number | undefined => {
  let next: number | undefined
  for (const key of heads.keys()) {
    const untilMs = failures.get(key)?.ignoredUntilMs ?? 0
    if (untilMs > nowMs && (next === undefined || untilMs < next)) next = untilMs
  }
  return next
}
