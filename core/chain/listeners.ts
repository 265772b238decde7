/** Functions that are called one after the other with each value; one that throws disturbs neither the others nor the caller. */
export const createListeners = <Value>(
  onError: (error: unknown) => void,
): {
  readonly add: (listener: (value: Value) => void) => () => void
  readonly call: (value: Value) => void
} => {
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
