import type { Address } from '../../../core/bytes/bytes.ts'
import { toBareHex } from '../../../core/bytes/hex.ts'
import type { Peer } from '../../network.ts'

/** A claim that was not made good is not looked at for this long; doubled for each that follows. */
const SET_ASIDE_MIN_MS = 5_000
const SET_ASIDE_MAX_MS = 600_000

/** A peer that others had to stand in for is asked last for this long. */
const SLOW_MS = 60_000

/** Nodes whose failures are remembered, so that connecting again does not clear them. */
const REMEMBERED_MAX = 1_024

type Failures = { count: number; setAsideUntilMs: number; slowUntilMs: number }

/** A connected node and the number of the last block it says to have. */
export type PeerHead = {
  /** Its address as hex digits. */
  readonly key: string
  readonly peer: Peer
  readonly claimed: bigint
}

/** What the connected nodes say about how long the chain is, and how far that proved true. Times in milliseconds since 1970. */
export type PeerHeads = {
  /** It connected or told its status. */
  told(peer: Peer): void
  /** It must have blocks up to this number, by what it sent. */
  heard(address: Address, number: bigint): void
  gone(address: Address): void
  /** It gave blocks that stood. */
  delivered(key: string): void
  /** It claims blocks that it does not give, or gave a wrong one: its claim is set aside. */
  failed(key: string, nowMs: number): void
  /** The connection failed: it is asked again after a while, or when it connects anew. */
  lost(key: string, nowMs: number): void
  slow(key: string, nowMs: number): void
  /** The highest claim that is not set aside. */
  highest(nowMs: number): bigint | undefined
  /** Who says to have the block and may be asked; the swift and reliable first. */
  having(number: bigint, nowMs: number): readonly PeerHead[]
  /** When the next claim that is set aside counts again. */
  nextReturnMs(nowMs: number): number | undefined
  readonly count: number
}

export const createPeerHeads = (): PeerHeads => {
  const heads = new Map<string, PeerHead>()
  const failures = new Map<string, Failures>()

  const failuresOf = (key: string): Failures => {
    const known = failures.get(key) ?? { count: 0, setAsideUntilMs: 0, slowUntilMs: 0 }
    // Behind all others: the one that is forgotten is the one that failed longest ago.
    failures.delete(key)
    failures.set(key, known)
    const [oldest] = failures.keys()
    if (failures.size > REMEMBERED_MAX && oldest !== undefined) failures.delete(oldest)
    return known
  }
  const setAside = (key: string, nowMs: number): boolean => (failures.get(key)?.setAsideUntilMs ?? 0) > nowMs
  const isSlow = (key: string, nowMs: number): boolean => (failures.get(key)?.slowUntilMs ?? 0) > nowMs
  const counting = (nowMs: number): PeerHead[] =>
    [...heads.values()].filter(({ key }) => !setAside(key, nowMs))

  return {
    told: peer => {
      const key = toBareHex(peer.address)
      heads.set(key, { key, peer, claimed: peer.status.headNumber })
    },
    heard: (address, number) => {
      const key = toBareHex(address)
      const head = heads.get(key)
      if (head !== undefined && number > head.claimed) heads.set(key, { ...head, claimed: number })
    },
    gone: address => {
      const key = toBareHex(address)
      heads.delete(key)
      const known = failures.get(key)
      if (known?.count === 0) known.setAsideUntilMs = 0
    },
    delivered: key => {
      const known = failures.get(key)
      if (known === undefined) return
      known.count = 0
      known.setAsideUntilMs = 0
    },
    failed: (key, nowMs) => {
      const known = failuresOf(key)
      known.setAsideUntilMs =
        nowMs + Math.min(SET_ASIDE_MIN_MS * 2 ** Math.min(known.count, 16), SET_ASIDE_MAX_MS)
      known.count++
    },
    lost: (key, nowMs) => {
      const known = failuresOf(key)
      known.setAsideUntilMs = Math.max(known.setAsideUntilMs, nowMs + SET_ASIDE_MIN_MS)
    },
    slow: (key, nowMs) => {
      failuresOf(key).slowUntilMs = nowMs + SLOW_MS
    },
    highest: nowMs => {
      let highest: bigint | undefined
      for (const { claimed } of counting(nowMs))
        if (highest === undefined || claimed > highest) highest = claimed
      return highest
    },
    having: (number, nowMs) =>
      counting(nowMs)
        .filter(({ claimed }) => claimed >= number)
        .sort(
          (a, b) =>
            Number(isSlow(a.key, nowMs)) - Number(isSlow(b.key, nowMs)) ||
            (failures.get(a.key)?.count ?? 0) - (failures.get(b.key)?.count ?? 0),
        ),
    nextReturnMs: nowMs => {
      let next: number | undefined
      for (const key of heads.keys()) {
        const untilMs = failures.get(key)?.setAsideUntilMs ?? 0
        if (untilMs > nowMs && (next === undefined || untilMs < next)) next = untilMs
      }
      return next
    },
    get count() {
      return heads.size
    },
  }
}
