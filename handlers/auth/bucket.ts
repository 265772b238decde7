/** Token buckets, one for each key: an attempt takes a token, and tokens are refilled over time. */
export type Buckets = {
  /** Whole tokens in the bucket. */
  readonly left: (key: string) => number
  /** Takes up to `count` tokens. */
  readonly take: (key: string, count: number) => void
  readonly giveBack: (key: string, count: number) => void
  /** Milliseconds until the bucket has `count` tokens. */
  readonly waitMs: (key: string, count: number) => number
}

export type BucketOptions = {
  /** Capacity of a bucket, which starts full. */
  readonly size: number
  /** Time to refill one token. */
  readonly refillMs: number
  /** Number of buckets that are not full; the least recently used one is evicted first. */
  readonly keysMax: number
  readonly nowMs: () => number
}

type Bucket = { readonly left: number; readonly atMs: number }

export const createBuckets = ({ size, refillMs, keysMax, nowMs }: BucketOptions): Buckets => {
  const buckets = new Map<string, Bucket>()

  const current = (key: string): number => {
    const bucket = buckets.get(key)
    if (bucket === undefined) return size
    // A clock that goes back refills nothing.
    return Math.min(size, bucket.left + Math.max(0, nowMs() - bucket.atMs) / refillMs)
  }

  /** A full bucket need not be stored. */
  const evictFull = (): void => {
    for (const key of buckets.keys()) {
      if (current(key) < size && buckets.size < keysMax) return
      buckets.delete(key)
    }
  }

  const put = (key: string, left: number): void => {
    buckets.delete(key)
    if (left >= size) return
    evictFull()
    buckets.set(key, { left, atMs: nowMs() })
  }

  return {
    left: key => Math.floor(current(key)),
    take: (key, count) => put(key, Math.max(0, current(key) - count)),
    giveBack: (key, count) => put(key, Math.min(size, current(key) + count)),
    waitMs: (key, count) => Math.max(0, count - current(key)) * refillMs,
  }
}
