import { createScheduler } from '../core/scheduler.ts'
import { onNextTurn } from '../handlers/inbound/nextTurn.ts'

export { onNextTurn }

/** Time slice of long work in one turn of the event loop: requests and consensus messages wait no longer. */
const SLICE_MS = 2

/** The scheduler of the node's own work on this thread. Requests have another one: neither waits behind the other. */
export const scheduler = createScheduler({ onNextTurn, nowMs: () => performance.now(), sliceMs: SLICE_MS })

export const { createYield, exclusiveTurn, isSliceOver } = scheduler
