export type RecentKeys = {
  has(key: string): boolean
  /** False when it was there already. */
  add(key: string): boolean
  delete(key: string): void
}

/**
 * The last keys that were added, `most` at most and half of that at least: the older half is forgotten at once. One by one
 * would cost more the more there are, as what looks for the first key of a set goes over all that were deleted before it.
 */
export const createRecentKeys = (most: number): RecentKeys => {
  const half = Math.ceil(most / 2)
  let young = new Set<string>()
  let old = new Set<string>()
  const has = (key: string): boolean => young.has(key) || old.has(key)
  return {
    has,
    add: key => {
      if (has(key)) return false
      if (young.size >= half) {
        old = young
        young = new Set()
      }
      young.add(key)
      return true
    },
    delete: key => {
      young.delete(key)
      old.delete(key)
    },
  }
}
