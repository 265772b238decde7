import type { Frame } from '../frames/frame.ts'
import { runFrame } from './interpreter.ts'
import { currentWork, setWork } from './longWork.ts'
import { type PausedRun, pauseRun } from './machine.ts'
import { checkWork, followWatch, takePause } from './runLimit.ts'

/** Runs frames from `frame` on, with the long work between them, until the first has ended or a pause is due. */
const runWatched = (frame: Frame): PausedRun | undefined => {
  let current = frame
  for (;;) {
    const work = currentWork()
    let next: Frame | undefined
    if (work === undefined) next = runFrame(current)
    else {
      const step = work.next()
      if (step.done !== true) {
        if (checkWork(current)) return pauseRun(current)
        continue
      }
      // Ending one work may have begun another.
      if (currentWork() === work) setWork(undefined)
      next = step.value
    }
    if (next === undefined) return undefined
    followWatch(current, next)
    current = next
    if (takePause()) return pauseRun(current)
  }
}

/**
 * Runs a frame, and every frame that is called from it, until the one at depth 0 has its outcome, or a pause is due. One loop
 * without recursion: calls put their frame on top and returns take it off.
 */
export const run = (frame: Frame, isWatched: boolean): PausedRun | undefined => {
  if (isWatched) return runWatched(frame)
  let current: Frame | undefined = frame
  while (current !== undefined) current = runFrame(current)
  return undefined
}
