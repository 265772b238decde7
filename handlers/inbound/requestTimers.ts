/**
 * On Cloudflare Workers a timer belongs to the request that created it and ends with it. A timer shared by several requests
 * would end for all of them, so each request has its own timers, and no work is deferred to a later turn.
 */
let ownTimers = false

/** Called once, before the first request. */
export const useRequestTimers = (): void => {
  ownTimers = true
}

/** True where a timer must not serve several requests. */
export const hasRequestTimers = (): boolean => ownTimers
