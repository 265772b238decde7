import type { YieldTurn } from '../../../core/scheduler.ts'

/** Items of a list that resolve in one step: a millisecond or two. */
const STEP_ITEMS = 16

/** Returns a list whose items resolve a few at a time, so that a long answer does not block the event loop. */
export type YieldingList = <T>(items: readonly T[]) => readonly (T | Promise<T>)[]

/** Created once for each request; its lists yield one after the other. */
export const createYieldingList = (yieldTurn: YieldTurn): YieldingList => {
  let last: Promise<void> = Promise.resolve()
  return items => {
    if (items.length <= STEP_ITEMS) return items
    return items.map((item, index) => {
      if (index < STEP_ITEMS) return item
      if (index % STEP_ITEMS === 0) last = last.then(() => yieldTurn())
      return last.then(() => item)
    })
  }
}
