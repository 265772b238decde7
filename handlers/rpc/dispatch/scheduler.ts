import { hasRequestTimers } from '../../inbound/requestTimers.ts'

/**
 * Shares each turn of the event loop among all requests. A limit for each request alone would not bound a turn: a hundred
 * requests that arrive together would each take their share of the same turn, and consensus would wait for all of them.
 */

/**
 * Milliseconds of one turn for all requests that start in it, and as many for the one request that continues. The last step
 * and a garbage collection may take as long again; a turn should stay under 20 ms.
 */
export const TURN_MS = 5

type Resume = () => void

/** Requests that have not started, and requests that have yielded. Their number is that of the requests in progress. */
const starting: Resume[] = []
const continuing: Resume[] = []

/** When the first request of this turn started; undefined in a turn without one. */
let turnStartedMs: number | undefined

/** Web workers have no setImmediate. */
const onNextTurn: (run: () => void) => void =
  typeof setImmediate === 'function' ? run => void setImmediate(run) : run => void setTimeout(run, 0)

const startTurn = (): void => {
  if (turnStartedMs !== undefined) return
  turnStartedMs = performance.now()
  onNextTurn(() => void endTurn())
}

/** The resumed request runs in the microtasks before the one that is awaited here. */
const resume = async (next: Resume): Promise<void> => {
  next()
  await Promise.resolve()
}

const endTurn = async (): Promise<void> => {
  turnStartedMs = undefined
  const next = continuing.shift()
  if (starting.length === 0 && next === undefined) return
  startTurn()
  while (starting.length > 0 && !isTurnOver()) await resume(starting.shift() as Resume)
  next?.()
}

/** True once the requests of this turn have used their share of it. */
const isTurnOver = (): boolean => turnStartedMs !== undefined && performance.now() - turnStartedMs >= TURN_MS

/** Awaited before a request starts; undefined where it may start at once. */
export const beginRequest = (): Promise<void> | undefined => {
  if (hasRequestTimers()) return undefined
  startTurn()
  if (starting.length === 0 && !isTurnOver()) return undefined
  return new Promise(resolve => starting.push(resolve))
}

/** Each turn continues one request that has yielded. */
const nextTurn = (): Promise<void> => {
  if (hasRequestTimers()) return new Promise(resolve => setTimeout(resolve, 0))
  startTurn()
  return new Promise(resolve => continuing.push(resolve))
}

/** Called between the steps of long work; yields to other requests when the work has used its share of the turn. */
export type YieldTurn = () => Promise<void> | undefined

/**
 * Creates the yield function of one request. In its first turn the request shares TURN_MS with the others that start in it.
 * @param nowMs clock that the share is measured by
 */
export const createYield = (nowMs: () => number): YieldTurn => {
  let startedMs = nowMs()
  let isFirstTurn = true
  return () => {
    if (nowMs() - startedMs < TURN_MS && !(isFirstTurn && isTurnOver())) return undefined
    return nextTurn().then(() => {
      isFirstTurn = false
      startedMs = nowMs()
    })
  }
}
