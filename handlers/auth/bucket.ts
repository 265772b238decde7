/** Attempts that are left to many keys: each use takes one, and they come back with time. */
export type Buckets = {
  /** Whole ones that are left. */
  readonly left: (key: string) => number
  /** Takes as many as are there of `count`. */
  readonly take: (key: string, count: number) => void
  readonly giveBack: (key: string, count: number) => void
  /** Milliseconds until `count` are there. */
  readonly waitMs: (key: string, count: number) => number
}

export type BucketOptions = {
  /** What a key begins with and never has more of. */
  readonly size: number
  /** One more comes back after so long. */
  readonly refillMs: number
  /** Keys with less than all of theirs; the one that was used longest ago goes first. */
  readonly keysMax: number
  readonly nowMs: () => number
}

type Bucket = { readonly left: number; readonly atMs: number }

export const createBuckets = ({ size, refillMs, keysMax, nowMs }: BucketOptions): Buckets => {
  const buckets = new Map<string, Bucket>()

  const current = (key: string): number => {
    const bucket = buckets.get(key)
    if (bucket === undefined) return size
    // A clock that goes back gives nothing.
    return Math.min(size, bucket.left + Math.max(0, nowMs() - bucket.atMs) / refillMs)
  }

  /** Full ones are as good as unknown ones. */
  const forgetFull = (): void => {
    for (const key of buckets.keys()) {
      if (current(key) < size && buckets.size < keysMax) return
      buckets.delete(key)
    }
  }

  const put = (key: string, left: number): void => {
    buckets.delete(key)
    if (left >= size) return
    forgetFull()
    buckets.set(key, { left, atMs: nowMs() })
  }

  return {
    left: key => Math.floor(current(key)),
    take: (key, count) => put(key, Math.max(0, current(key) - count)),
    giveBack: (key, count) => put(key, Math.min(size, current(key) + count)),
    waitMs: (key, count) => Math.max(0, count - current(key)) * refillMs,
  }
}
