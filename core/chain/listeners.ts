/** Listeners for a value. One that throws disturbs neither the others nor the caller. */
export type Listeners<Value> = {
  /** Returns the function that removes the listener. */
  readonly add: (listener: (value: Value) => void) => () => void
  readonly call: (value: Value) => void
}

export const createListeners = <Value>(onError: (error: unknown) => void): Listeners<Value> => {
  const listeners = new Set<{ readonly listener: (value: Value) => void }>()
  return {
    add(listener) {
      // Boxed, so that the same function may be added twice.
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
