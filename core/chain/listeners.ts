/** Listeners for a value. An error of one is reported, and does not affect the others or the caller. */
export type Listeners<Value> = {
  /** Returns the function that removes the listener. */
  readonly add: (listener: (value: Value) => void) => () => void
  readonly call: (value: Value) => void
}

export const createListeners = <Value>(onError: (error: unknown) => void): Listeners<Value> => {
  const listeners = new Set<{ readonly listener: (value: Value) => void }>()
  return {
    add(listener) {
      // An entry of its own, so that the same function may be added twice.
      const entry = { listener }
      listeners.add(entry)
      return () => {
        listeners.delete(entry)
      }
    },
    call(value) {
      for (const { listener } of listeners) {
        try {
          listener(value)
        } catch (error) {
          onError(error)
        }
      }
    },
  }
}
