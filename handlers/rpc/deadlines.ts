/** A timer that has nothing to wait for is gone after so long. */
const LOOK_MS_MAX = 250

export type Deadlines = {
  /** What `finish` makes of the work's value; what `late` gives instead where the work takes too long, and goes on. */
  within<Value, Result>(
    work: Promise<Value>,
    finish: (value: Value) => Result,
    late: () => Result,
  ): Promise<Result>
}

type Waiting = { readonly untilMs: number; readonly end: () => void }

/**
 * Ends waiting for work after `timeoutMs`. All work is waited for equally long, so what began first is over first, and one
 * timer does for all: one for each would cost as much as a short answer.
 */
export const createDeadlines = (timeoutMs: number): Deadlines => {
  const waiting = new Set<Waiting>()
  let isLooking = false

  const lookAfter = (ms: number): void => {
    isLooking = true
    setTimeout(look, Math.min(ms, LOOK_MS_MAX))
  }
  const look = (): void => {
    isLooking = false
    const nowMs = performance.now()
    for (const one of waiting) {
      if (one.untilMs > nowMs) return lookAfter(one.untilMs - nowMs)
      waiting.delete(one)
      one.end()
    }
  }

  return {
    within: <Value, Result>(work: Promise<Value>, finish: (value: Value) => Result, late: () => Result) =>
      new Promise<Result>((resolve, reject) => {
        const one: Waiting = { untilMs: performance.now() + timeoutMs, end: () => resolve(late()) }
        waiting.add(one)
        if (!isLooking) lookAfter(timeoutMs)
        const succeed = (value: Value): Result => {
          waiting.delete(one)
          return finish(value)
        }
        const fail = (error: unknown): never => {
          waiting.delete(one)
          throw error
        }
        work.then(succeed, fail).then(resolve, reject)
      }),
  }
}
