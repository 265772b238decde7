import { setImmediate } from 'node:timers'

/** Work that may be long gives way after this many milliseconds: requests and consensus messages wait no longer. */
const SLICE_MS = 5

const waiting: (() => void)[] = []
let isDue = false

const giveTurn = (): void => {
  const next = waiting.shift()
  isDue = waiting.length > 0
  if (isDue) setImmediate(giveTurn)
  next?.()
}

/**
 * Resolves in a later turn of the event loop, of which each goes to one of those that wait, in their order: work of several
 * kinds at once, a block being verified while views are written, would hold up everything else for a slice of each.
 */
export const nextTurn = (): Promise<void> =>
  new Promise(resolve => {
    waiting.push(resolve)
    if (isDue) return
    isDue = true
    setImmediate(giveTurn)
  })

/**
 * Lets other work run between the steps of a long one: what is awaited may resolve without a turn of the event loop, so
 * a loop over it would hold everything up.
 */
export const createSlice = (): (() => Promise<void>) => {
  let beganMs = performance.now()
  return async () => {
    if (performance.now() - beganMs < SLICE_MS) return
    await nextTurn()
    beganMs = performance.now()
  }
}
