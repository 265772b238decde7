/** How long the writes to the disk take. */
export type WriteTimes = {
  /** Since when the oldest write that is not done has been under way, milliseconds since 1970; undefined without one. */
  readonly runningSinceMs: number | undefined
  /** The last one that was done; undefined before the first. */
  readonly last: { readonly atMs: number; readonly tookMs: number } | undefined
}

export type WriteClock = {
  /** Notes how long the write takes. */
  during<T>(write: () => Promise<T>): Promise<T>
  readonly times: () => WriteTimes
}

/** Knows how long writes to the disk take, so that a slow disk shows. */
export const createWriteClock = (): WriteClock => {
  const running = new Set<{ readonly sinceMs: number }>()
  let last: WriteTimes['last']
  return {
    during: async write => {
      const entry = { sinceMs: Date.now() }
      running.add(entry)
      try {
        return await write()
      } finally {
        running.delete(entry)
        last = { atMs: Date.now(), tookMs: Date.now() - entry.sinceMs }
      }
    },
    times: () => ({ runningSinceMs: running.values().next().value?.sinceMs, last }),
  }
}
