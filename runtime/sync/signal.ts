/** What a loop waits for that has more than one reason to go on. */
export type Wakeup = {
  /** Ends the wait, or the next one when nobody waits. */
  readonly wake: () => void
  /** Resolves at the next `wake`, or after that many milliseconds. */
  wait(timeoutMs: number): Promise<void>
}

export const createWakeup = (): Wakeup => {
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
