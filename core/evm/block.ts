import { decodeProgram } from './decode.ts'
import type { Frame } from './frame.ts'
import type { Program } from './program.ts'
import type { HaltReason } from './result.ts'

/**
 * The place in `frame.program` to go on with after the block at `place` of the fast program could not begin: the same code
 * once more in steps, so that it ends at the very instruction that cannot run, and tells why.
 */
export const continueInSteps = (frame: Frame, place: number): number => {
  const start = frame.program.words[place + 4]!
  frame.program = decodeProgram(frame.code, frame.context.schedule, true)
  return frame.program.steps![start]!
}

/** Why the block of one instruction at `place` cannot begin on a stack of `height` items. */
export const haltOfBlock = (
  { words }: Program,
  place: number,
  height: number,
  stackLimit: number,
): HaltReason => {
  if (height < words[place + 2]!) return 'Stack underflow'
  if (height + words[place + 3]! > stackLimit) return 'Out of stack'
  return 'Out of gas'
}
