/** Removes the oldest entries of a map or set, in order of insertion, until at most `max` are left. */
export const evictOldest = <Key>(
  entries: { readonly size: number; keys(): Iterable<Key>; delete(key: Key): unknown },
  max: number,
): void => {
  for (const oldest of entries.keys()) {
    if (entries.size <= max) return
    entries.delete(oldest)
  }
}

/** Sets an entry of a map of at most `max` entries and makes it the newest; the oldest is removed. */
export const setBounded = <Key, Value>(map: Map<Key, Value>, key: Key, value: Value, max: number): void => {
  map.delete(key)
  map.set(key, value)
  evictOldest(map, max)
}
