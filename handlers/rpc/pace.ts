/**
 * Longest turn of one request: what reads from memory never waits, so others would wait for all of it. The step that passes
 * it, and a collection of garbage, may take as long again each, and all together are to stay under 20 ms.
 */
const TURN_MS = 5

/** Called between the steps of long work; lets everyone else have a turn when this one has lasted long enough. */
export type Pace = () => Promise<void> | undefined

export const createPace = (nowMs: () => number): Pace => {
  let startedMs = nowMs()
  return () => {
    if (nowMs() - startedMs < TURN_MS) return undefined
    return new Promise(resolve => {
      setTimeout(() => {
        startedMs = nowMs()
        resolve()
      }, 0)
    })
  }
}
