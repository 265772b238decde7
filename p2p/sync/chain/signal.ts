/** Wakes a loop that has several reasons to continue. */
export type Signal = {
  /** Ends the current wait, or else the next one. */
  readonly wake: () => void
  /** Resolves at the next `wake` or after the timeout. */
  wait(timeoutMs: number): Promise<void>
}

export const createSignal = (): Signal => {
  let woken = false
  let end: (() => void) | undefined
  return {
    wake: () => {
      woken = true
      end?.()
    },
    wait: timeoutMs =>
      new Promise(resolve => {
        const timer = setTimeout(() => end?.(), timeoutMs)
        end = () => {
          clearTimeout(timer)
          end = undefined
          woken = false
          resolve()
        }
        if (woken) end()
      }),
  }
}
