import { createIndependentScheduler, createScheduler, type Scheduler } from '../../core/scheduler.ts'
import { onNextTurn } from './nextTurn.ts'
import { hasRequestTimers } from './requestTimers.ts'

export { onNextTurn }

/**
 * Milliseconds of one turn for all requests that start in it, and as many for those that continue. The last step and a garbage
 * collection may take as long again; a turn should stay under 20 ms.
 */
export const REQUEST_SLICE_MS = 5

let shared: Scheduler | undefined

/** The scheduler of all requests on this event loop; where a timer must not serve several requests they share nothing. */
export const requestScheduler = (): Scheduler => {
  shared ??= (hasRequestTimers() ? createIndependentScheduler : createScheduler)({
    onNextTurn,
    nowMs: () => performance.now(),
    sliceMs: REQUEST_SLICE_MS,
  })
  return shared
}
