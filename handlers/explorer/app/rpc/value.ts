/** A value that others can watch. */
export type Value<T> = {
  get(): T
  set(value: T): void
  /** Returns the function that ends it. */
  watch(listener: () => void): () => void
}

export const createValue = <T>(initial: T): Value<T> => {
  let current = initial
  const listeners = new Set<() => void>()
  return {
    get: () => current,
    set: value => {
      if (Object.is(value, current)) return
      current = value
      for (const listener of listeners) listener()
    },
    watch: listener => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
