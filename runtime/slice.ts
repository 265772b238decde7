import { setImmediate } from 'node:timers'

/** Work that may be long gives way after this many milliseconds of a turn: requests and consensus messages wait no longer. */
const SLICE_MS = 5

const waiting: (() => void)[] = []
let isDue = false
/** When what is sliced began in this turn of the event loop. */
let beganMs: number | undefined

const noteBegin = (): void => {
  if (beganMs !== undefined) return
  beganMs = performance.now()
  setImmediate(() => {
    beganMs = undefined
  })
}

const giveTurn = (): void => {
  beganMs = undefined
  noteBegin()
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
 * a loop over it would hold everything up. What else was done in the same turn counts: one kind of work often leads to the next.
 */
export const createSlice = (): (() => Promise<void>) => {
  noteBegin()
  return async () => {
    // Where nothing tells when this turn began it may be long ago.
    if (beganMs === undefined || performance.now() - beganMs >= SLICE_MS) await nextTurn()
  }
}
