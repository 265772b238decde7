import { resumeStack } from '../interpreter/stackOverflow.ts'
import { EMPTY_BYTES } from '../../bytes/bytes.ts'
import { keccak256Steps } from '../../crypto/keccakSteps.ts'
import {
  putCode,
  putHashedCode,
  UNDONE_AT_ONCE,
  undoState,
  undoStateSteps,
} from '../../state/executionState.ts'
import type { Frame } from './frame.ts'
import { emptyFrame, parentOf } from './frame.ts'
import { returnGas } from '../gas/gas.ts'
import { beginWork, BULK_BYTES, type LongWork } from '../interpreter/longWork.ts'
import { copyPadded, copyPaddedSteps } from '../interpreter/memory.ts'
import type { HaltReason } from '../transaction/result.ts'
import { num, putWord } from '../interpreter/stack.ts'
import { traceExit } from '../interpreter/trace.ts'
import { isWatched } from '../interpreter/runLimit.ts'

const DEPOSIT_BYTE_GAS = 200
/** EIP-3541: code may not begin with this. */
const RESERVED_FIRST_BYTE = 0xef

const halt = (frame: Frame, reason: HaltReason): void => {
  frame.outcome = 'halt'
  frame.halt = reason
}

/** Pays for the code that a creation gave. True where it is to be put in place. */
const payForCode = (frame: Frame): boolean => {
  const { schedule, environment } = frame.context
  const code = frame.output
  if (schedule.eip158 && code.length > environment.rules.codeSizeMax) {
    halt(frame, 'Code is too large')
    return false
  }
  if (schedule.isLondon && code[0] === RESERVED_FIRST_BYTE) {
    halt(frame, 'Code is invalid')
    return false
  }
  const gas = DEPOSIT_BYTE_GAS * code.length
  if (gas <= frame.gas) {
    frame.gas -= gas
    return code.length > 0
  }
  if (schedule.isHomestead) halt(frame, 'Out of gas')
  // Frontier leaves a contract without code, and the gas; the output stays what the initialization code gave.
  return false
}

/** Of a frame that failed: gas and output of one that halted are gone. */
const settleFailure = (frame: Frame): void => {
  const { state } = frame.context
  state.refund = frame.refund
  state.logs.length = frame.logsLength
  if (frame.outcome !== 'halt') return
  frame.gas = 0
  frame.reserve = 0n
  frame.output = EMPTY_BYTES
}

/** Gives the result to the frame that called this one, which is returned; its output is to be copied to the caller's memory. */
const giveResult = (frame: Frame, gasAtEnd: number): Frame | undefined => {
  const { tracer } = frame.context
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
  else parent.returnData = output
  return parent
}

/** Bytes of the output that the caller asked for. */
const copiedSize = (frame: Frame): number =>
  frame.isCreate ? 0 : Math.min(frame.outputSize, frame.output.length)

function* leaveSteps(frame: Frame): LongWork {
  const { state } = frame.context
  const gasAtEnd = frame.gas
  if (frame.isCreate && frame.outcome === 'success' && payForCode(frame))
    putHashedCode(state, frame.account, frame.output, yield* keccak256Steps(frame.output))
  if (frame.outcome !== 'success') {
    yield* undoStateSteps(state, frame.checkpoint)
    settleFailure(frame)
  }
  const parent = giveResult(frame, gasAtEnd)
  if (parent !== undefined && copiedSize(frame) > 0)
    yield* copyPaddedSteps(frame.output, 0, parent.memoryAt + frame.outputOffset, copiedSize(frame))
  if (parent !== undefined) emptyFrame(frame)
  return parent
}

/** Whether leaving the frame is long work: much to undo, to hash or to copy. */
const leavesSlowly = (frame: Frame): boolean =>
  frame.output.length > BULK_BYTES ||
  (frame.outcome !== 'success' && frame.context.state.journal.length - frame.checkpoint > UNDONE_AT_ONCE)

/**
 * Ends a frame that has its outcome: keeps or undoes what it did, and gives its result to the one that called it, which
 * is returned. Undefined after the first frame.
 */
export const leave = (frame: Frame): Frame | undefined => {
  const { state } = frame.context
  if (isWatched() && leavesSlowly(frame)) {
    beginWork(leaveSteps(frame))
    return frame
  }
  const gasAtEnd = frame.gas
  if (frame.isCreate && frame.outcome === 'success' && payForCode(frame))
    putCode(state, frame.account, frame.output)
  if (frame.outcome !== 'success') {
    undoState(state, frame.checkpoint)
    settleFailure(frame)
  }
  const parent = giveResult(frame, gasAtEnd)
  const size = copiedSize(frame)
  if (parent !== undefined && size > 0)
    copyPadded(frame.output, 0, parent.memoryAt + frame.outputOffset, size)
  if (parent !== undefined) emptyFrame(frame)
  return parent
}
