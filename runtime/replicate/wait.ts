/** Waits that end at once when the replication is stopped. */
export type Wait = {
  /** Resolves the current `signal`, or else the next one. */
  readonly wake: () => void
  /** Resolves after `wake`. */
  readonly signal: () => Promise<void>
  readonly ms: (ms: number) => Promise<void>
  /** The value of a promise, undefined where it rejects. */
  readonly settled: <Value>(promise: Promise<Value> | undefined) => Promise<Value | undefined>
  /** Ends all waits, also later ones. */
  readonly end: () => void
}

export const createWait = (): Wait => {
  let isAwake = false
  let isOver = false
  /** Waits for a signal or a timeout. */
  const signals = new Set<() => void>()
  const timers = new Set<() => void>()
  const wake = (): void => {
    isAwake = true
    for (const resume of signals) resume()
    signals.clear()
  }
  return {
    wake,
    signal: async () => {
      if (!isAwake && !isOver) await new Promise<void>(resolve => signals.add(resolve))
      isAwake = false
    },
    ms: async ms => {
      if (isOver) return
      await new Promise<void>(resolve => {
        const finish = (): void => {
          clearTimeout(timer)
          timers.delete(finish)
          resolve()
        }
        const timer = setTimeout(finish, ms)
        timers.add(finish)
      })
    },
    settled: async promise => {
      try {
        return await promise
      } catch {
        return undefined
      }
    },
    end: () => {
      isOver = true
      wake()
      for (const finish of timers) finish()
    },
  }
}
