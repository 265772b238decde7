import { EMPTY_BYTES } from '../../bytes/bytes.ts'
import type { Frame, Outcome } from './frame.ts'
import { leave } from './exitFrame.ts'
import {
  beginWork,
  BULK_BYTES,
  completesInstruction,
  type LongWork,
  SUSPENDED,
} from '../interpreter/longWork.ts'
import { copyOfMemory, copyOfMemorySteps } from '../interpreter/memory.ts'
import { STACK_MOVES } from '../operations/operations.ts'
import { isWatched } from '../interpreter/runLimit.ts'

/** Ends the frame; gives the one to go on with. */
export const endWith = (frame: Frame, outcome: Outcome, output: Uint8Array): Frame | undefined => {
  frame.outcome = outcome
  frame.output = output
  return leave(frame)
}

/** `gas` is what is left, negative by what was too little: only a tracer asks for it. */
export const haltWith = (frame: Frame, gas: number): Frame | undefined => {
  frame.halt ??= 'Out of gas'
  frame.gas = gas
  return endWith(frame, 'halt', EMPTY_BYTES)
}

/** An instruction with too little gas halts the frame; one whose memory is not there yet begins again. */
export const stopAt = (frame: Frame, ip: number, sp: number, gas: number): Frame | undefined => {
  if (gas !== SUSPENDED) return haltWith(frame, gas)
  frame.ip = ip
  frame.sp = sp
  return frame
}

/** The same for an instruction of one word that long work may also complete. */
export const stopOperation = (
  frame: Frame,
  op: number,
  ip: number,
  sp: number,
  gas: number,
): Frame | undefined =>
  gas === SUSPENDED && completesInstruction()
    ? stopAt(frame, ip + 1, sp + STACK_MOVES[op]!, gas)
    : stopAt(frame, ip, sp, gas)

function* endSteps(frame: Frame, outcome: Outcome, at: number, size: number): LongWork {
  return endWith(frame, outcome, yield* copyOfMemorySteps(at, size))
}

/** RETURN and REVERT of a part of the memory. */
export const endWithMemory = (
  frame: Frame,
  outcome: Outcome,
  offset: number,
  size: number,
): Frame | undefined => {
  if (size <= BULK_BYTES || !isWatched()) return endWith(frame, outcome, copyOfMemory(frame, offset, size))
  beginWork(endSteps(frame, outcome, frame.memoryAt + offset, size))
  return frame
}
