export type TokenBucket = {
  /** Takes tokens, below zero if necessary. Returns the milliseconds until the balance is zero again, 0 when it is not negative. */
  take(tokens: number): number
}

/** Takes a token if there is one. A refusal takes none: otherwise who keeps trying would never be admitted again. */
export const admit = (bucket: TokenBucket): boolean => {
  const isOpen = bucket.take(0) === 0
  if (isOpen) bucket.take(1)
  return isOpen
}

/** Allows `burst` tokens at once and `perSecond` on average. */
export const createTokenBucket = (perSecond: number, burst: number, nowMs: () => number): TokenBucket => {
  let tokens = burst
  let atMs = nowMs()
  return {
    take: wanted => {
      const now = nowMs()
      // A clock that was set back adds no tokens and takes none.
      tokens = Math.min(burst, tokens + (Math.max(0, now - atMs) / 1000) * perSecond)
      atMs = now
      tokens -= wanted
      return tokens >= 0 ? 0 : Math.ceil((-tokens / perSecond) * 1000)
    },
  }
}
