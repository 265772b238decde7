import { setImmediate } from 'node:timers'
import { createScheduler, type OnNextTurn } from '../core/scheduler.ts'

/** Time slice of long work in one turn of the event loop: requests and consensus messages wait no longer. */
const SLICE_MS = 2

export const onNextTurn: OnNextTurn = run => void setImmediate(run)

/** The scheduler of the node's own work on this thread. Requests have another one: neither waits behind the other. */
export const scheduler = createScheduler({ onNextTurn, nowMs: () => performance.now(), sliceMs: SLICE_MS })

export const { createYield, exclusiveTurn, isSliceOver } = scheduler
