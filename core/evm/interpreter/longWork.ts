import type { Steps } from '../../steps.ts'
import type { Frame } from '../frames/frame.ts'

/**
 * The remaining work of a long instruction, in steps of about a millisecond: large copies and hashes, precompiles with long
 * input, undoing many changes. Returns the frame that runs next; undefined when the first frame has ended.
 */
export type LongWork = Steps<Frame | undefined>

/** Bytes that are copied, cleared or hashed in some hundred microseconds. More is long work in a run that may pause. */
export const BULK_BYTES = 256 * 1024

/** An instruction that continues as long work returns this instead of the gas left, which is in `frame.gas`. */
export const SUSPENDED = Number.NEGATIVE_INFINITY

let work: LongWork | undefined
let completes = false

/** Makes the run continue with these steps, which complete the current instruction or the entry or exit of a frame. */
export const beginWork = (steps: LongWork): void => {
  work = steps
  completes = true
}

/** Makes the run continue with these steps, and then run the current instruction again. */
export const beginWorkThenRestart = (steps: LongWork): void => {
  work = steps
  completes = false
}

/** True when the work that just began completes its instruction, which then does not run again. */
export const completesInstruction = (): boolean => completes

/** Makes a saved instruction of one word run again, after the long work that grows its memory. */
export const restartInstruction = (frame: Frame): Frame => {
  frame.ip--
  return frame
}

export const currentWork = (): LongWork | undefined => work

export const setWork = (steps: LongWork | undefined): void => {
  work = steps
}
