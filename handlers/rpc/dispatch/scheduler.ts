/**
 * Shares each turn of the event loop among all requests. A bound on the slice of one request does not bound a turn: a hundred
 * requests that arrive together would each take a slice of the same turn, and consensus would wait for all of them.
 */

/**
 * Milliseconds of one turn for requests that begin, all together, and as many for one that continues. The step that passes the
 * bound and a garbage collection may take as long again, and a turn is to stay under 20 ms.
 */
export const TURN_MS = 5

type Resume = () => void

/** Requests that have not begun, and those that have had a slice already. Their number is that of the requests under way. */
const beginning: Resume[] = []
const continuing: Resume[] = []

/** When the first request of this turn began; undefined in a turn that had none yet. */
let turnStartedMs: number | undefined

/** Workers of the web have no setImmediate. */
const onNextTurn: (run: () => void) => void =
  typeof setImmediate === 'function' ? run => void setImmediate(run) : run => void setTimeout(run, 0)

const startTurn = (): void => {
  if (turnStartedMs !== undefined) return
  turnStartedMs = performance.now()
  onNextTurn(() => void endTurn())
}

/** What resumes runs in the microtasks before the one that is awaited here. */
const resume = async (next: Resume): Promise<void> => {
  next()
  await Promise.resolve()
}

const endTurn = async (): Promise<void> => {
  turnStartedMs = undefined
  const next = continuing.shift()
  if (beginning.length === 0 && next === undefined) return
  startTurn()
  while (beginning.length > 0 && !isTurnUsed()) await resume(beginning.shift() as Resume)
  next?.()
}

/** True once the requests of this turn have used their part of it. */
export const isTurnUsed = (): boolean =>
  turnStartedMs !== undefined && performance.now() - turnStartedMs >= TURN_MS

/** To await before a request begins; undefined where it may begin at once. */
export const beginRequest = (): Promise<void> | undefined => {
  startTurn()
  if (beginning.length === 0 && !isTurnUsed()) return undefined
  return new Promise(resolve => beginning.push(resolve))
}

/** To await between two slices of one request: each turn continues one. */
export const nextSlice = (): Promise<void> => {
  startTurn()
  return new Promise(resolve => continuing.push(resolve))
}
