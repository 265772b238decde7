/** Removes the oldest entries of a map or set, in order of insertion, while there are too many. `remove` removes one. */
export const evictWhile = <Key>(
  entries: { keys(): Iterable<Key> },
  hasTooMany: (oldest: Key) => boolean,
  remove: (key: Key) => unknown,
): void => {
  for (const oldest of entries.keys()) {
    if (!hasTooMany(oldest)) return
    remove(oldest)
  }
}

/** Removes the oldest entries of a map or set, in order of insertion, until at most `max` are left. */
export const evictOldest = <Key>(
  entries: { readonly size: number; keys(): Iterable<Key>; delete(key: Key): unknown },
  max: number,
  remove: (key: Key) => unknown = key => entries.delete(key),
): void => evictWhile(entries, () => entries.size > max, remove)

/** Sets an entry and makes it the newest; then removes the oldest entries until at most `max` are left. */
export const setBounded = <Key, Value>(map: Map<Key, Value>, key: Key, value: Value, max: number): void => {
  map.delete(key)
  map.set(key, value)
  evictOldest(map, max)
}

/** The value of a key, created on first use. A created value is the newest; the oldest above `max` entries are removed. */
export const getOrCreate = <Key, Value>(
  map: Map<Key, Value>,
  key: Key,
  create: () => Value,
  max: number,
): Value => {
  const known = map.get(key)
  if (known !== undefined) return known
  const created = create()
  setBounded(map, key, created, max)
  return created
}

/** A function that returns the value of a key, created on first use; it keeps the newest `max` values. */
export const createBoundedCache = <Value>(max: number, create: () => Value): ((key: string) => Value) => {
  const values = new Map<string, Value>()
  return key => getOrCreate(values, key, create, max)
}
