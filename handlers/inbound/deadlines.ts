import { hasRequestTimers } from './requestTimers.ts'

/** Longest delay of the timer, after which an idle one is gone. */
const TIMER_MS_MAX = 250

export type Deadlines = {
  /** Calls `end` at the deadline unless the returned function is called before. */
  begin(end: () => void): () => void
  /** Resolves to `finish(value)`, or to `late()` at the deadline; the work then goes on. */
  within<Value, Result>(
    work: Promise<Value>,
    finish: (value: Value) => Result,
    late: () => Result,
  ): Promise<Result>
}

type Waiting = { readonly untilMs: number; readonly end: () => void }

/**
 * Deadlines of `timeoutMs`. All are equally long, so the first one started is the first to end, and one timer serves all of
 * them: a timer for each would cost as much as a short answer.
 */
export const createDeadlines = (timeoutMs: number): Deadlines => {
  const waiting = new Set<Waiting>()
  let isLooking = false

  const lookAfter = (ms: number): void => {
    isLooking = true
    setTimeout(look, Math.min(ms, TIMER_MS_MAX))
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
    if (hasRequestTimers()) {
      const timer = setTimeout(end, timeoutMs)
      return () => clearTimeout(timer)
    }
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
