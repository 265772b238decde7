import type { Hash } from '../../core/bytes/bytes.ts'
import { toBareHex } from '../../core/bytes/hex.ts'

/** Proposals of a height that is being decided, and of the one before. */
const KEPT_MAX = 16

export type RecentTimes = {
  /** The block was proposed now, unless it was before. */
  note(hash: Hash): void
  /** Milliseconds since then. */
  since(hash: Hash): number | undefined
}

/** When blocks were first proposed. */
export const createRecentTimes = (): RecentTimes => {
  const times = new Map<string, number>()
  return {
    note: hash => {
      const key = toBareHex(hash)
      if (!times.has(key)) times.set(key, performance.now())
      const [oldest] = times.keys()
      if (times.size > KEPT_MAX && oldest !== undefined) times.delete(oldest)
    },
    since: hash => {
      const atMs = times.get(toBareHex(hash))
      return atMs === undefined ? undefined : performance.now() - atMs
    },
  }
}
