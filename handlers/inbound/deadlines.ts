import { hasRequestTimers } from './requestTimers.ts'

/** Longest delay of the timer. An idle timer is not started again. */
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
 * Deadlines of `timeoutMs`. They all have the same length, so they end in the order in which they started, and one timer
 * serves them all: a timer for each would cost as much as a short answer.
 */
export const createDeadlines = (timeoutMs: number): Deadlines => {
  const waiting = new Set<Waiting>()
  let isTimerSet = false

  const setTimer = (ms: number): void => {
    isTimerSet = true
    setTimeout(expire, Math.min(ms, TIMER_MS_MAX))
  }
  const expire = (): void => {
    isTimerSet = false
    const nowMs = performance.now()
    for (const one of waiting) {
      if (one.untilMs > nowMs) return setTimer(one.untilMs - nowMs)
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
    if (!isTimerSet) setTimer(timeoutMs)
    return () => void waiting.delete(one)
  }

  return {
    begin,
    within: <Value, Result>(work: Promise<Value>, finish: (value: Value) => Result, late: () => Result) =>
      new Promise<Result>((resolve, reject) => {
        const cancel = begin(() => resolve(late()))
        const fail = (error: unknown): void => {
          cancel()
          reject(error)
        }
        // A single promise: each further one is a measurable part of a short call.
        work.then(value => {
          cancel()
          try {
            resolve(finish(value))
          } catch (error) {
            reject(error)
          }
        }, fail)
      }),
  }
}
