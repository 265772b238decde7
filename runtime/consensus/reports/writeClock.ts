/** How long the writes to the disk take, without the time in which this process was too busy to notice their end. */
export type WriteTimes = {
  /** Start of the oldest unfinished write, milliseconds since 1970, later by that time; undefined without one. */
  readonly runningSinceMs: number | undefined
  /** The last finished write; undefined before the first. */
  readonly last: { readonly atMs: number; readonly tookMs: number } | undefined
}

export type WriteClock = {
  /** Measures the write. */
  during<T>(write: () => Promise<T>): Promise<T>
  readonly times: () => WriteTimes
}

/** The time, and a timer that shows how late the event loop is. */
export type WriteClockHost = {
  readonly nowMs: () => number
  /** Calls the function at that interval. Returns the function that stops it. */
  readonly every: (intervalMs: number, tick: () => void) => () => void
}

/** Interval of the timer: a loop that is later than this is busy. */
const TICK_MS = 100

const HOST: WriteClockHost = {
  nowMs: Date.now,
  every: (intervalMs, tick) => {
    const timer = setInterval(tick, intervalMs)
    timer.unref()
    return () => clearInterval(timer)
  },
}

/** Sums up how late the timer is while it runs. */
const createBusyClock = ({ nowMs, every }: WriteClockHost) => {
  let sumMs = 0
  let tickedMs = 0
  let stop: (() => void) | undefined
  const lateMs = (): number => (stop === undefined ? 0 : Math.max(0, nowMs() - tickedMs - TICK_MS))
  const tick = (): void => {
    sumMs += lateMs()
    tickedMs = nowMs()
  }
  return {
    start: (): void => {
      if (stop !== undefined) return
      tickedMs = nowMs()
      stop = every(TICK_MS, tick)
    },
    stop: (): void => {
      sumMs += lateMs()
      stop?.()
      stop = undefined
    },
    busyMs: (): number => sumMs + lateMs(),
  }
}

/** Measures writes to the disk, so that a slow disk is reported. */
export const createWriteClock = (host: WriteClockHost = HOST): WriteClock => {
  const { nowMs } = host
  const busy = createBusyClock(host)
  const running = new Set<{ readonly sinceMs: number; readonly busyMs: number }>()
  let last: WriteTimes['last']

  const startOf = (entry: { readonly sinceMs: number; readonly busyMs: number }): number =>
    entry.sinceMs + busy.busyMs() - entry.busyMs

  return {
    during: async write => {
      busy.start()
      const entry = { sinceMs: nowMs(), busyMs: busy.busyMs() }
      running.add(entry)
      try {
        return await write()
      } finally {
        running.delete(entry)
        last = { atMs: nowMs(), tookMs: nowMs() - startOf(entry) }
        if (running.size === 0) busy.stop()
      }
    },
    times: () => {
      const [oldest] = running
      return { runningSinceMs: oldest && startOf(oldest), last }
    },
  }
}
