import { EMPTY_BYTES } from '../../bytes/bytes.ts'
import type { Frame, Outcome } from './frame.ts'
import { exitFrame } from './exitFrame.ts'
import {
  beginWork,
  BULK_BYTES,
  completesInstruction,
  type LongWork,
  SUSPENDED,
} from '../interpreter/longWork.ts'
import { copyOfMemory, copyOfMemorySteps } from '../interpreter/memory.ts'
import { STACK_DELTAS } from '../operations/operations.ts'
import { mayPause } from '../interpreter/runLimit.ts'

/** Ends the frame. Returns the frame that runs next. */
export const endWith = (frame: Frame, outcome: Outcome, output: Uint8Array): Frame | undefined => {
  frame.outcome = outcome
  frame.output = output
  return exitFrame(frame)
}

/** Halts the frame. `gas` is the gas left, negative by the missing amount; only a tracer uses it. */
export const haltWith = (frame: Frame, gas: number): Frame | undefined => {
  frame.halt ??= 'Out of gas'
  frame.gas = gas
  return endWith(frame, 'halt', EMPTY_BYTES)
}

/** Halts the frame at a jump to a position that has no JUMPDEST. */
export const haltAtJump = (frame: Frame, gas: number): Frame | undefined => {
  frame.halt = 'Bad jump destination'
  return haltWith(frame, gas)
}

/** Halts the frame for lack of gas; an instruction that is SUSPENDED runs again. */
export const haltOrSuspend = (frame: Frame, ip: number, sp: number, gas: number): Frame | undefined => {
  if (gas !== SUSPENDED) return haltWith(frame, gas)
  frame.ip = ip
  frame.sp = sp
  return frame
}

/** As `haltOrSuspend`, for an instruction of one word, which long work may also complete. */
export const haltOrSuspendOperation = (
  frame: Frame,
  op: number,
  ip: number,
  sp: number,
  gas: number,
): Frame | undefined =>
  gas === SUSPENDED && completesInstruction()
    ? haltOrSuspend(frame, ip + 1, sp + STACK_DELTAS[op]!, gas)
    : haltOrSuspend(frame, ip, sp, gas)

function* endSteps(frame: Frame, outcome: Outcome, at: number, size: number): LongWork {
  return endWith(frame, outcome, yield* copyOfMemorySteps(at, size))
}

/** Ends the frame with a part of its memory as output: RETURN and REVERT. */
export const endWithMemory = (
  frame: Frame,
  outcome: Outcome,
  offset: number,
  size: number,
): Frame | undefined => {
  if (size <= BULK_BYTES || !mayPause()) return endWith(frame, outcome, copyOfMemory(frame, offset, size))
  beginWork(endSteps(frame, outcome, frame.memoryAt + offset, size))
  return frame
}
