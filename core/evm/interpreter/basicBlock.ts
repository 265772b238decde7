import { decodeBlock } from './decode.ts'
import type { Frame } from '../frames/frame.ts'
import type { Program } from './program.ts'
import type { HaltReason } from '../transaction/result.ts'

/**
 * Makes the frame run the block at `place`, which cannot run to its end, instruction by instruction, so that it halts at
 * the instruction that fails, with its reason.
 */
export const continueStepped = (frame: Frame, place: number): void => {
  const { words, codeWindow } = frame.program
  frame.program = decodeBlock(frame.code, frame.context.schedule, words[place + 4]!, codeWindow?.end)
}

/** The reason why the block of one instruction at `place` cannot run on a stack of `height` items. */
export const haltReasonOfBlock = (
  { words }: Program,
  place: number,
  height: number,
  stackLimit: number,
): HaltReason => {
  if (height < words[place + 2]!) return 'Stack underflow'
  if (height + words[place + 3]! > stackLimit) return 'Out of stack'
  return 'Out of gas'
}
