import { ChainError } from '../error.ts'

/** Calls that may wait for their turn; each holds a block, so without a bound a flood of them would hold all memory. */
export const WAITING_CALLS_MAX = 1_024

/** Runs asynchronous calls one after the other, in the order they came; one that fails does not stop the next. */
export const createQueue = (): (<T>(call: () => Promise<T>) => Promise<T>) => {
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0
  return call => {
    if (waiting >= WAITING_CALLS_MAX)
      return Promise.reject(
        new ChainError('BUSY', `${waiting} calls are waiting for the chain: try again when some are done`),
      )
    waiting++
    const result = last.then(call).finally(() => {
      waiting--
    })
    // The caller of each gets its error; the next one only waits for the end.
    last = result.catch(() => undefined)
    return result
  }
}
