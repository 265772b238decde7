import { decodeProgram, OP_STEP } from './decode.ts'
import type { Frame } from './frame.ts'
import type { Program } from './program.ts'
import type { HaltReason } from './result.ts'

/**
 * The place in `frame.program` to go on with after a block of the fast program could not begin: the same code once more
 * in steps, so that it ends at the very instruction that cannot run, and tells why.
 */
export const continueInSteps = (frame: Frame, block: number): number => {
  const start = frame.program.blockStarts[block]!
  frame.program = decodeProgram(frame.code, frame.context.schedule, true)
  const { ops, args } = frame.program
  let ip = 0
  while (ops[ip] !== OP_STEP || args[ip] !== start) ip++
  return ip
}

/** Why a block of one instruction cannot begin on a stack of `height` items. */
export const haltOfBlock = (
  program: Program,
  block: number,
  height: number,
  stackLimit: number,
): HaltReason => {
  if (height < program.blockNeeds[block]!) return 'Stack underflow'
  if (height + program.blockGrowth[block]! > stackLimit) return 'Out of stack'
  return 'Out of gas'
}
