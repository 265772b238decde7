import { getOrCreate } from '../../../core/collections/boundedMap.ts'
import type { Hash } from '../../../core/bytes/bytes.ts'
import { toBareHex } from '../../../core/bytes/hex.ts'

/** Maximum remembered proposals: those of the current height and the one before. */
const KEPT_MAX = 16

export type RecentTimes = {
  /** Records the time of the first proposal of a block. */
  note(hash: Hash): void
  /** Milliseconds since the first proposal. */
  since(hash: Hash): number | undefined
}

/** Times at which recent blocks were first proposed. */
export const createRecentTimes = (): RecentTimes => {
  const times = new Map<string, number>()
  return {
    note: hash => {
      getOrCreate(times, toBareHex(hash), () => performance.now(), KEPT_MAX)
    },
    since: hash => {
      const atMs = times.get(toBareHex(hash))
      return atMs === undefined ? undefined : performance.now() - atMs
    },
  }
}
