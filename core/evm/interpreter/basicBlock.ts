import { decodeBlock } from './decode.ts'
import type { Frame } from '../frames/frame.ts'
import type { Program } from './program.ts'
import type { HaltReason } from '../transaction/result.ts'

/**
 * Makes the frame go on with the block at `place`, which cannot be run to its end, instruction by instruction: so it ends
 * at the very one that cannot run, and tells why.
 */
export const continueInSteps = (frame: Frame, place: number): void => {
  const start = frame.program.words[place + 4]!
  frame.program = decodeBlock(frame.code, frame.context.schedule, start)
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
