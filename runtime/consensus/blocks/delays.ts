/** Delays that `stop` ends early. */
export type Delays = {
  readonly wait: (ms: number) => Promise<void>
  readonly stop: () => void
}

export const createDelays = (): Delays => {
  const ends = new Set<() => void>()
  return {
    wait: ms =>
      new Promise(resolve => {
        const end = (): void => {
          clearTimeout(timer)
          ends.delete(end)
          resolve()
        }
        const timer = setTimeout(end, ms)
        ends.add(end)
      }),
    stop: () => {
      for (const end of ends) end()
    },
  }
}
