import { resumeStack } from '../interpreter/stackSpill.ts'
import { EMPTY_BYTES } from '../../bytes/bytes.ts'
import { keccak256Steps } from '../../crypto/keccakSteps.ts'
import {
  putCode,
  putHashedCode,
  UNDO_ENTRIES_AT_ONCE,
  undoState,
  undoStateSteps,
} from '../../state/executionState.ts'
import type { Frame } from './frame.ts'
import { clearFrame, parentOf } from './frame.ts'
import { returnGas } from '../gas/gas.ts'
import { beginWork, BULK_BYTES, type LongWork } from '../interpreter/longWork.ts'
import { copyPadded, copyPaddedSteps } from '../interpreter/memory.ts'
import type { HaltReason } from '../transaction/result.ts'
import { numbers, putWord } from '../interpreter/stack.ts'
import { traceExit } from '../interpreter/trace.ts'
import { mayPause } from '../interpreter/runLimit.ts'

const DEPOSIT_BYTE_GAS = 200
/** EIP-3541: code must not begin with this byte. */
const RESERVED_FIRST_BYTE = 0xef

const halt = (frame: Frame, reason: HaltReason): void => {
  frame.outcome = 'halt'
  frame.halt = reason
}

/** Charges for the code that a creation returned. True when the code must be stored. */
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
  // Frontier keeps the contract without code, and its gas; the output stays the returned code.
  return false
}

/** Restores refund and logs of a failed frame; a halted frame also loses its gas and output. */
const settleFailure = (frame: Frame): void => {
  const { state } = frame.context
  state.refund = frame.refund
  state.logs.length = frame.logsLength
  if (frame.outcome !== 'halt') return
  frame.gas = 0
  frame.gasReserve = 0n
  frame.output = EMPTY_BYTES
}

/** Gives the result to the calling frame, and returns that frame. The caller copies the output to its memory. */
const giveResult = (frame: Frame, gasAtEnd: number): Frame | undefined => {
  const { tracer } = frame.context
  if (tracer !== undefined) traceExit(tracer, frame, gasAtEnd)
  if (frame.depth === 0) return undefined
  const parent = parentOf(frame)
  const { output } = frame
  returnGas(parent, frame.gas, frame.gasReserve)
  resumeStack(parent)
  parent.sp++
  if (frame.outcome !== 'success') numbers[parent.sp] = 0
  else if (frame.isCreate) putWord(parent.sp, frame.words, 0)
  else numbers[parent.sp] = 1
  if (frame.isCreate) parent.returnData = frame.outcome === 'success' ? EMPTY_BYTES : output
  else parent.returnData = output
  return parent
}

/** Bytes of the output that are copied to the caller's memory. */
const copiedSize = (frame: Frame): number =>
  frame.isCreate ? 0 : Math.min(frame.outputSize, frame.output.length)

function* exitFrameSteps(frame: Frame): LongWork {
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
  if (parent !== undefined) clearFrame(frame)
  return parent
}

/** True when ending the frame is long work: many changes to undo, or many bytes to hash or copy. */
const exitIsLong = (frame: Frame): boolean =>
  frame.output.length > BULK_BYTES ||
  (frame.outcome !== 'success' &&
    frame.context.state.undoLog.length - frame.checkpoint > UNDO_ENTRIES_AT_ONCE)

/**
 * Ends a frame that has its outcome: keeps or undoes its changes, and gives its result to the calling frame, which is
 * returned. Undefined after the first frame.
 */
export const exitFrame = (frame: Frame): Frame | undefined => {
  const { state } = frame.context
  if (mayPause() && exitIsLong(frame)) {
    beginWork(exitFrameSteps(frame))
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
  if (parent !== undefined) clearFrame(frame)
  return parent
}
