export type RecentKeys = {
  has(key: string): boolean
  /** False when it was there already. */
  add(key: string): boolean
  delete(key: string): void
}

/** The last `most` keys that were added, the oldest forgotten first. */
export const createRecentKeys = (most: number): RecentKeys => {
  const keys = new Set<string>()
  return {
    has: key => keys.has(key),
    add: key => {
      if (keys.has(key)) return false
      keys.add(key)
      if (keys.size > most) {
        const [oldest] = keys
        if (oldest !== undefined) keys.delete(oldest)
      }
      return true
    },
    delete: key => {
      keys.delete(key)
    },
  }
}
