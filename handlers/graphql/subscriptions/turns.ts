/**
 * Events of all subscriptions that are read at the same time. Each waits for its slices of the event loop beside all other
 * work: a thousand at once would each take one before the next head of others is sent.
 */
const EVENTS_AT_ONCE = 4

/** Runs a few pieces of work at the same time, and the others in order of arrival. */
export type Turns = <T>(run: () => Promise<T>) => Promise<T>

export const createTurns = (atOnce = EVENTS_AT_ONCE): Turns => {
  // A set keeps the order of insertion. At most one entry for each subscription.
  const waiting = new Set<() => void>()
  let running = 0
  return async run => {
    if (running < atOnce) running++
    else await new Promise<void>(resolve => void waiting.add(resolve))
    try {
      return await run()
    } finally {
      const [next] = waiting
      if (next === undefined) running--
      else {
        waiting.delete(next)
        next()
      }
    }
  }
}
