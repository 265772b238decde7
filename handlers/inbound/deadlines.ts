/** A timer that has nothing to wait for is gone after so long. */
const LOOK_MS_MAX = 250

export type Deadlines = {
  /** Calls `end` when the time is over, unless the function given is called before. */
  begin(end: () => void): () => void
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

  const begin = (end: () => void): (() => void) => {
    const one: Waiting = { untilMs: performance.now() + timeoutMs, end }
    waiting.add(one)
    if (!isLooking) lookAfter(timeoutMs)
    return () => void waiting.delete(one)
  }

  return {
    begin,
    within: <Value, Result>(work: Promise<Value>, finish: (value: Value) => Result, late: () => Result) =>
      new Promise<Result>((resolve, reject) => {
        const isOver = begin(() => resolve(late()))
        const succeed = (value: Value): Result => {
          isOver()
          return finish(value)
        }
        const fail = (error: unknown): never => {
          isOver()
          throw error
        }
        work.then(succeed, fail).then(resolve, reject)
      }),
  }
}
