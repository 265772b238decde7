import { ChainError } from '../error.ts'

/** Calls that may wait; each holds a block, so without a limit a flood of them would fill the memory. */
export const WAITING_CALLS_MAX = 1_024

/** Runs an asynchronous call after all earlier ones; a call that fails does not stop the next. */
export type CallQueue = <T>(call: () => Promise<T>) => Promise<T>

export const createQueue = (): CallQueue => {
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0
  return call => {
    if (waiting >= WAITING_CALLS_MAX)
      return Promise.reject(
        new ChainError('BUSY', `${waiting} calls are waiting for the chain; try again when some are done`),
      )
    waiting++
    const result = last.then(call).finally(() => {
      waiting--
    })
    // Each caller receives its own error; the next call only waits for the end.
    last = result.catch(() => undefined)
    return result
  }
}
