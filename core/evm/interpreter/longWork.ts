import type { Steps } from '../../steps.ts'
import type { Frame } from '../frames/frame.ts'

/**
 * The rest of one instruction that takes long, in steps of about a millisecond: large copies and hashes, precompiles over
 * long input, undoing many changes. Gives the frame to go on with, undefined when the first frame has ended.
 */
export type LongWork = Steps<Frame | undefined>

/** Bytes that are copied, cleared or hashed at once: some hundred microseconds. More is long work where a run is watched. */
export const BULK_BYTES = 256 * 1024

/** Returned in place of the gas that is left by an instruction that goes on as long work; `frame.gas` has the gas. */
export const SUSPENDED = Number.NEGATIVE_INFINITY

let work: LongWork | undefined
let isRest = false

/** Called by an instruction, or while a frame is entered or left: the run goes on with these steps. */
export const beginWork = (steps: LongWork): void => {
  work = steps
  isRest = true
}

/** Called before an instruction: it begins again after these steps. */
export const beginWorkBefore = (steps: LongWork): void => {
  work = steps
  isRest = false
}

/** Whether the work that just began is the rest of its instruction, which does not run again. */
export const completesInstruction = (): boolean => isRest

/** A saved instruction, of one word, runs again when the memory that it needs is there. */
export const beginAgain = (frame: Frame): Frame => {
  frame.ip--
  return frame
}

export const currentWork = (): LongWork | undefined => work

export const setWork = (steps: LongWork | undefined): void => {
  work = steps
}
