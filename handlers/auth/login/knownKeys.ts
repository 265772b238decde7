/** Keys that are remembered for a time after they were last added. */
export type KnownKeys = {
  readonly add: (key: string) => void
  readonly has: (key: string) => boolean
}

export type KnownKeysOptions = {
  /** The key that was added first is forgotten where there are more. */
  readonly keysMax: number
  readonly knownMs: number
  readonly nowMs: () => number
}

export const createKnownKeys = ({ keysMax, knownMs, nowMs }: KnownKeysOptions): KnownKeys => {
  /** The times of the last additions, the oldest first. */
  const addedMs = new Map<string, number>()
  return {
    add: key => {
      addedMs.delete(key)
      addedMs.set(key, nowMs())
      const [oldest] = addedMs.keys()
      if (addedMs.size > keysMax && oldest !== undefined) addedMs.delete(oldest)
    },
    has: key => {
      const atMs = addedMs.get(key)
      return atMs !== undefined && nowMs() - atMs < knownMs
    },
  }
}
