/** Work that may be long gives way after this many milliseconds: requests and consensus messages wait no longer. */
const SLICE_MS = 5

const otherWork = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

/**
 * Lets other work run between the steps of a long one: what is awaited may resolve without a turn of the event loop, so
 * a loop over it would hold everything up.
 */
export const createSlice = (): (() => Promise<void>) => {
  let beganMs = performance.now()
  return async () => {
    if (performance.now() - beganMs < SLICE_MS) return
    await otherWork()
    beganMs = performance.now()
  }
}
