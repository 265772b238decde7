import type { Outcome } from './envelope.ts'
import type { OnNextTurn } from '../../../core/scheduler.ts'
import type { Call } from '../method.ts'

/** Calls started in one turn: each may take two milliseconds before it moves to a call worker. */
const STARTED_MAX = 8

/** Calls of one micro-batch: as many as clients usually put into a batch. */
const MICRO_BATCH_MAX = 100

/**
 * Starts the calls that arrive in one turn in the next turn, one directly after the other. Between two requests a server runs
 * the kernel and its HTTP parser, which leaves the processor's caches cold: with 16 connections a third more calls are
 * answered this way. The queue is bounded by the requests in progress.
 */
export const createBatchedStart = <T>(
  onNextTurn: OnNextTurn,
): ((start: () => T | Promise<T>) => Promise<T>) => {
  const waiting: (() => void)[] = []
  const startNext = (): void => {
    const first = waiting.splice(0, STARTED_MAX)
    if (waiting.length > 0) onNextTurn(startNext)
    for (const start of first) start()
  }
  return start =>
    new Promise((resolve, reject) => {
      const run = (): void => {
        try {
          resolve(start())
        } catch (error) {
          reject(error)
        }
      }
      if (waiting.push(run) === 1) onNextTurn(startNext)
    })
}

/**
 * Handles single calls in micro-batches: the calls of one turn, and those that arrive while a micro-batch is being handled.
 * They are handled and answered in order of arrival.
 * @param handle returns an outcome for each call and never fails.
 */
export const createMicroBatch = (
  onNextTurn: OnNextTurn,
  handle: (calls: readonly Call[]) => Promise<readonly Outcome[]>,
): ((call: Call) => Promise<Outcome>) => {
  const waiting: { readonly call: Call; readonly answer: (outcome: Outcome) => void }[] = []
  let isBusy = false
  const handleNext = async (): Promise<void> => {
    const first = waiting.splice(0, MICRO_BATCH_MAX)
    const outcomes = await handle(first.map(({ call }) => call))
    first.forEach(({ answer }, index) => answer(outcomes[index] as Outcome))
    isBusy = waiting.length > 0
    if (isBusy) onNextTurn(() => void handleNext())
  }
  return call =>
    new Promise(answer => {
      waiting.push({ call, answer })
      if (isBusy) return
      isBusy = true
      onNextTurn(() => void handleNext())
    })
}
