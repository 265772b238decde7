import type { Frame } from './frame.ts'
import { runFrame } from './interpreter.ts'
import { beginWatch, endWatch, followWatch } from './watch.ts'

/**
 * Runs the frame at depth 0, and every frame that is called from it, until it has its outcome. One loop without
 * recursion: calls put their frame on top and returns take it off.
 */
export const run = (first: Frame): void => {
  const watched = beginWatch(first)
  let frame: Frame | undefined = first
  while (frame !== undefined) {
    const next = runFrame(frame)
    if (watched && next !== undefined) followWatch(frame, next)
    frame = next
  }
  if (watched) endWatch(first)
}
