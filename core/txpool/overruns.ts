import type { Address, Hash } from '../bytes/bytes.ts'
import { toBareHex } from '../bytes/hex.ts'
import { setBounded } from '../collections/boundedMap.ts'

/** A sender whose transaction ran too long twice sends nothing for so long: its next one would cost a block's time again. */
export const SENDER_WAIT_MS = 60_000

/** Transactions and senders that are remembered, the oldest forgotten first: each has cost a block's time. */
const REMEMBERED_MAX = 4096

/** Why one transaction was stopped while a block was built. */
export type Overrun = {
  /** As a part of a sentence. */
  readonly reason: string
  readonly isDropped: boolean
}

/** Transactions that were stopped at the bounds of a block that was being built. */
export type Overruns = {
  /** Notes that it was stopped. The second time it is to be dropped, and its sender has to wait. */
  note(hash: Hash, sender: Address, reason: string, nowMs: number): Overrun
  of(hash: Hash): Overrun | undefined
  /** Until when the sender has to wait, milliseconds since 1970; undefined when it need not. */
  waitsUntilMs(sender: Address, nowMs: number): number | undefined
}

export const createOverruns = (): Overruns => {
  const overruns = new Map<string, Overrun>()
  const waits = new Map<string, number>()
  return {
    note: (hash, sender, reason, nowMs) => {
      const key = toBareHex(hash)
      const overrun = { reason, isDropped: overruns.has(key) }
      setBounded(overruns, key, overrun, REMEMBERED_MAX)
      if (overrun.isDropped) setBounded(waits, toBareHex(sender), nowMs + SENDER_WAIT_MS, REMEMBERED_MAX)
      return overrun
    },
    of: hash => (overruns.size === 0 ? undefined : overruns.get(toBareHex(hash))),
    waitsUntilMs: (sender, nowMs) => {
      if (waits.size === 0) return undefined
      const key = toBareHex(sender)
      const untilMs = waits.get(key)
      if (untilMs === undefined || untilMs > nowMs) return untilMs
      waits.delete(key)
      return undefined
    },
  }
}
