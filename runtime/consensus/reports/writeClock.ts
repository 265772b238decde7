/** How long the writes to the disk take. */
export type WriteTimes = {
  /** Start of the oldest unfinished write, milliseconds since 1970; undefined without one. */
  readonly runningSinceMs: number | undefined
  /** The last finished write; undefined before the first. */
  readonly last: { readonly atMs: number; readonly tookMs: number } | undefined
}

export type WriteClock = {
  /** Measures the write. */
  during<T>(write: () => Promise<T>): Promise<T>
  readonly times: () => WriteTimes
}

/** Measures writes to the disk, so that a slow disk is reported. */
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
