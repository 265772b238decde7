/** Virtual time: what is to happen, in order of time, then of request. */
export type Clock = {
  nowMs(): number
  after(delayMs: number, run: () => void): void
  /** Runs the next event; false when there is none before this time. */
  next(untilMs: number): boolean
}

type Event = { readonly atMs: number; readonly run: () => void }

export const createClock = (startMs: number): Clock => {
  // Latest first. A few dozen events wait at any time.
  const events: Event[] = []
  let nowMs = startMs
  return {
    nowMs: () => nowMs,
    after: (delayMs, run) => {
      const event = { atMs: nowMs + Math.max(0, delayMs), run }
      let place = events.length
      while (place > 0 && (events[place - 1] as Event).atMs <= event.atMs) place--
      events.splice(place, 0, event)
    },
    next: untilMs => {
      const event = events.at(-1)
      if (event === undefined || event.atMs > untilMs) return false
      events.pop()
      nowMs = event.atMs
      event.run()
      return true
    },
  }
}
