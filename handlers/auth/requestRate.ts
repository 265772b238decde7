import { createBuckets } from './bucket.ts'

/** Limits the requests of each user, or of each address where there are no tokens. */
export type RequestRate = {
  /** Counts a request; the milliseconds to wait where there were too many, 0 for one that is taken. */
  readonly take: (user: string) => number
}

/** Users within one second: the least recently used one is forgotten first. */
const USERS_MAX = 10_000

/** @param perSecond requests of one user, which it may also send at once after a second without any */
export const createRequestRate = (perSecond: number, nowMs: () => number): RequestRate => {
  const buckets = createBuckets({ size: perSecond, refillMs: 1000 / perSecond, keysMax: USERS_MAX, nowMs })
  return {
    take: user => {
      const waitMs = buckets.waitMs(user, 1)
      if (waitMs === 0) buckets.take(user, 1)
      return waitMs
    },
  }
}
