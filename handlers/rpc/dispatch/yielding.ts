import { isTurnUsed, nextSlice, TURN_MS } from './scheduler.ts'

/** Called between the steps of long work; lets everyone else have a turn when this one has lasted long enough. */
export type Pace = () => Promise<void> | undefined

/**
 * Slices of one request. The first one ends with the part of the turn that all requests share.
 * @param nowMs the clock that the slices are measured by
 */
export const createPace = (nowMs: () => number): Pace => {
  let startedMs = nowMs()
  let isFirstSlice = true
  return () => {
    if (nowMs() - startedMs < TURN_MS && !(isFirstSlice && isTurnUsed())) return undefined
    return nextSlice().then(() => {
      isFirstSlice = false
      startedMs = nowMs()
    })
  }
}
