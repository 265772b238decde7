/**
 * On Cloudflare Workers a timer belongs to the request that made it and ends with it. A timer that several requests share
 * would stop for all of them; each request then has timers of its own, and nothing is put off to a later turn.
 */
let isOwn = false

/** Called once, before the first request. */
export const useRequestTimers = (): void => {
  isOwn = true
}

/** True where a timer must not serve several requests. */
export const hasRequestTimers = (): boolean => isOwn
