import type { Driver } from 'unstorage'

/** A driver that only has strings and no synchronous reads, as redis and most of the cloud ones are. */
export const stringDriver = (items: Map<string, string>): Driver => ({
  name: 'strings',
  hasItem: key => items.has(key),
  getItem: key => items.get(key) ?? null,
  setItem: (key, value) => {
    items.set(key, value)
  },
  removeItem: key => {
    items.delete(key)
  },
  getKeys: () => [...items.keys()],
})
