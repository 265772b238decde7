import type { Frame } from '../frames/frame.ts'
import { runFrame } from './interpreter.ts'
import { currentWork, setWork } from './longWork.ts'
import { type PausedRun, pauseRun } from './machine.ts'
import { checkLongWork, enterLimitedFrame, takePause } from './runLimit.ts'

/** Runs frames from `frame` on, and their long work, until the first frame has ended or a pause is due. */
const runWithPauses = (frame: Frame): PausedRun | undefined => {
  let current = frame
  for (;;) {
    const work = currentWork()
    let next: Frame | undefined
    if (work === undefined) next = runFrame(current)
    else {
      const step = work.next()
      if (step.done !== true) {
        if (checkLongWork(current)) return pauseRun(current)
        continue
      }
      // The end of one work may have begun another.
      if (currentWork() === work) setWork(undefined)
      next = step.value
    }
    if (next === undefined) return undefined
    enterLimitedFrame(current, next)
    current = next
    if (takePause()) return pauseRun(current)
  }
}

/**
 * Runs a frame, and the frames that it calls, until the frame at depth 0 has its outcome or, if the run may pause, a pause
 * is due. One loop without recursion.
 */
export const run = (frame: Frame, mayPause: boolean): PausedRun | undefined => {
  if (mayPause) return runWithPauses(frame)
  let current: Frame | undefined = frame
  while (current !== undefined) current = runFrame(current)
  return undefined
}
