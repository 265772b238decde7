export type TokenBucket = {
  /** Takes so many tokens, into debt if need be; gives the milliseconds until the debt is paid, 0 when there is none. */
  take(tokens: number): number
}

/** At most `burst` tokens at once and `perSecond` in the long run. */
export const createTokenBucket = (perSecond: number, burst: number, nowMs: () => number): TokenBucket => {
  let tokens = burst
  let atMs = nowMs()
  return {
    take: wanted => {
      const now = nowMs()
      // A clock set back gives nothing and takes nothing.
      tokens = Math.min(burst, tokens + (Math.max(0, now - atMs) / 1000) * perSecond)
      atMs = now
      tokens -= wanted
      return tokens >= 0 ? 0 : Math.ceil((-tokens / perSecond) * 1000)
    },
  }
}
