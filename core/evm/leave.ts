import { resumeStack } from './aside.ts'
import { EMPTY_BYTES } from '../bytes/bytes.ts'
import { putCode, undoState } from '../state/executionState.ts'
import type { Frame } from './frame.ts'
import { parentOf } from './frame.ts'
import { returnGas } from './gas.ts'
import { copyPadded } from './memory.ts'
import type { HaltReason } from './result.ts'
import { num, putWord } from './stack.ts'
import { traceExit } from './trace.ts'

const DEPOSIT_BYTE_GAS = 200
/** EIP-3541: code may not begin with this. */
const RESERVED_FIRST_BYTE = 0xef

const halt = (frame: Frame, reason: HaltReason): void => {
  frame.outcome = 'halt'
  frame.halt = reason
}

/** Pays for the code that a creation gave, and puts it in place. */
const deposit = (frame: Frame): void => {
  const { state, schedule, environment } = frame.context
  const code = frame.output
  if (schedule.clearsEmpty && code.length > environment.rules.codeSizeMax) {
    halt(frame, 'Code is too large')
    return
  }
  if (schedule.isLondon && code[0] === RESERVED_FIRST_BYTE) {
    halt(frame, 'Code is invalid')
    return
  }
  const gas = DEPOSIT_BYTE_GAS * code.length
  if (gas <= frame.gas) {
    frame.gas -= gas
    if (code.length > 0) putCode(state, frame.account, code)
  } else if (schedule.isHomestead) halt(frame, 'Out of gas')
  // Frontier leaves a contract without code, and the gas; the output stays what the initialization code gave.
}

/**
 * Ends a frame that has its outcome: keeps or undoes what it did, and gives its result to the one that called it, which
 * is returned. Undefined after the first frame.
 */
export const leave = (frame: Frame): Frame | undefined => {
  const { state, tracer } = frame.context
  const gasAtEnd = frame.gas
  if (frame.isCreate && frame.outcome === 'success') deposit(frame)
  if (frame.outcome !== 'success') {
    undoState(state, frame.checkpoint)
    state.refund = frame.refund
    state.logs.length = frame.logsLength
    if (frame.outcome === 'halt') {
      frame.gas = 0
      frame.reserve = 0n
      frame.output = EMPTY_BYTES
    }
  }
  if (tracer !== undefined) traceExit(tracer, frame, gasAtEnd)
  if (frame.depth === 0) return undefined
  const parent = parentOf(frame)
  const { output } = frame
  returnGas(parent, frame.gas, frame.reserve)
  resumeStack(parent)
  parent.sp++
  if (frame.outcome !== 'success') num[parent.sp] = 0
  else if (frame.isCreate) putWord(parent.sp, frame.words, 0)
  else num[parent.sp] = 1
  if (frame.isCreate) parent.returnData = frame.outcome === 'success' ? EMPTY_BYTES : output
  else {
    parent.returnData = output
    const size = Math.min(frame.outputSize, output.length)
    if (size > 0) copyPadded(output, 0, parent.memoryAt + frame.outputOffset, size)
  }
  return parent
}
