import { setImmediate } from 'node:timers'

/** Work that may be long gives way after this many milliseconds of a turn: requests and consensus messages wait no longer. */
const SLICE_MS = 2

/** A turn that small pieces have taken less of goes to the next of them as well. */
const SHARED_MS = 1

type Waiting = { readonly isAlone: boolean; readonly go: () => void }

const waiting: Waiting[] = []
let isBeginDue = false
/** When what is sliced began in this turn of the event loop. */
let beganMs: number | undefined
/** Who got this turn so far: with one alone nothing else begins. */
let given: 'nobody' | 'small pieces' | 'one alone' = 'nobody'

const beginTurn = (): void => {
  isBeginDue = false
  given = 'nobody'
  beganMs = undefined
}

/** Before anything that waits for it. */
const turnWillBegin = (): void => {
  if (isBeginDue) return
  isBeginDue = true
  setImmediate(beginTurn)
}

const noteBegin = (): void => {
  beganMs ??= performance.now()
  turnWillBegin()
}

const isGone = (ms: number): boolean => beganMs !== undefined && performance.now() - beganMs >= ms

const isFreeFor = ({ isAlone }: Waiting): boolean =>
  // Each turn goes to one at least, whatever else was done in it.
  given === 'nobody' || (given === 'small pieces' && !isAlone && !isGone(SHARED_MS))

const giveTurn = (): void => {
  const [next] = waiting
  if (next === undefined) return
  if (!isFreeFor(next)) {
    turnWillBegin()
    setImmediate(giveTurn)
    return
  }
  waiting.shift()
  noteBegin()
  given = next.isAlone ? 'one alone' : 'small pieces'
  next.go()
}

const turn = (isAlone: boolean): Promise<void> =>
  new Promise(go => {
    waiting.push({ isAlone, go })
    turnWillBegin()
    setImmediate(giveTurn)
  })

/**
 * Resolves in a later turn of the event loop, which nothing else that waits for one gets: work of several kinds at once,
 * a block being verified while views are written, would hold up everything else for each of them. All go in their order.
 */
export const nextTurn = (): Promise<void> => turn(true)

/** True where long work is to give way: other work did not get a turn for as long as a slice. */
export const isSliceOver = (): boolean => beganMs === undefined || isGone(SLICE_MS)

/**
 * Lets other work run between the steps of a long one: what is awaited may resolve without a turn of the event loop, so
 * a loop over it would hold everything up. What else was done in the same turn counts: one kind of work often leads to the next.
 * What waits in this way shares a turn while it is short: where the processor is busy, a turn comes late.
 */
export const createSlice = (): (() => Promise<void>) => {
  noteBegin()
  return async () => {
    // Where nothing tells when this turn began it may be long ago.
    if (isSliceOver()) await turn(false)
  }
}
