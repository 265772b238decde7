import type { Address, Hash } from '../bytes/bytes.ts'
import { toBareHex } from '../bytes/hex.ts'
import { setBounded } from '../collections/boundedMap.ts'

/** Time for which a sender is refused after one of its transactions was stopped twice: the next one could run as long. */
export const SENDER_WAIT_MS = 60_000

/** Most stored transactions and senders; each took the time of a block. */
const REMEMBERED_MAX = 4096

/** A transaction stopped during block building. */
export type Overrun = {
  /** The exceeded bound, as part of a sentence. */
  readonly reason: string
  readonly isDropped: boolean
}

/** Transactions that exceeded their bounds during block building. */
export type Overruns = {
  /** Records that a transaction was stopped. The second time, it must be dropped, and its sender must wait. */
  note(hash: Hash, sender: Address, reason: string, nowMs: number): Overrun
  of(hash: Hash): Overrun | undefined
  /** When the sender may send again, milliseconds since 1970; undefined when it need not wait. */
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
