import { type ExecutionState, transactionBytes } from '../../state/executionState.ts'
import { bytesOfFrames, type Frame } from '../frames/frame.ts'

/** Limits the run time and memory of executions: of calls, which are not paid for, and of the transactions of a block. */
export type RunLimit = {
  /** Gas between two checks. */
  readonly gas: number
  /** Returns if the run may continue. @throws an error that ends the run */
  readonly check: (usage: Usage) => void
  /** True when the run must pause, to be resumed later. Without this function a run never pauses. */
  readonly isPauseDue?: () => boolean
}

/** Resources that the running transaction has used so far. */
export type Usage = {
  /** Estimated memory of its frames, return data, accounts, slots, logs, code and undo log. */
  readonly memoryBytes: number
  /** `memoryBytes` and the estimated memory that earlier transactions of the block still hold. */
  readonly blockMemoryBytes: number
  readonly logs: number
  /** Size of all logs in a receipt, including those of reverted calls. */
  readonly logBytes: number
  /** Entries of the undo log. */
  readonly changes: number
}

/**
 * The gas of precompiles counts so many times: measured, a pairing or a modular exponentiation takes up to eight times as
 * long for its gas as opcodes.
 */
const PRECOMPILE_WEIGHT = 8

/** Memory that grows beyond a multiple of this is checked, because one instruction fills, copies or hashes all of it. */
const MEMORY_BYTES = 256 * 1024

let limit: RunLimit | undefined
/** Gas until the next check, kept between two messages. */
let left = 0
/** During a message: the next check is due when the gas of all its frames together falls below this. */
let due = 0
let isPausing = false

/** Returned by `checkLimit` when the run must pause before the block. */
const PAUSED = -1

/**
 * Runs a synchronous function under a limit, which is checked repeatedly while the interpreter runs. When the limit ends
 * the run with an error, its state must not be used.
 */
export const withRunLimit = <T>(next: RunLimit, run: () => T): T => {
  const outerLimit = limit
  const outerLeft = left
  const outerDue = due
  limit = next
  left = next.gas
  isPausing = false
  try {
    return run()
  } finally {
    limit = outerLimit
    left = outerLeft
    due = outerDue
  }
}

/** True under a limit: long work of one instruction must then be done in steps. */
export const mayPause = (): boolean => limit !== undefined

const gasOfAll = (frame: Frame): number => frame.callersGas + frame.gas + Number(frame.gasReserve)

const usageWith = (state: ExecutionState, frameBytes: number): Usage => {
  const memoryBytes = frameBytes + transactionBytes(state)
  return {
    memoryBytes,
    blockMemoryBytes: memoryBytes + state.heldBytesBefore,
    logs: state.logs.length,
    logBytes: state.logBytes,
    changes: state.undoLog.length,
  }
}

const usageOf = ({ context: { state }, memoryAt, memorySize, depth }: Frame): Usage =>
  usageWith(state, memoryAt + memorySize + bytesOfFrames(depth))

/** Sets the gas below which the frame must call `checkLimit`. */
const setCheckBelow = (frame: Frame): void => {
  frame.checkBelow = Math.max(0, due - frame.callersGas - Number(frame.gasReserve))
}

/** Begins a message. False without a limit; the other functions must then not be called for the message. */
export const beginLimitedMessage = (first: Frame): boolean => {
  if (limit === undefined) return false
  first.callersGas = 0
  due = gasOfAll(first) - left
  setCheckBelow(first)
  return true
}

/** Called when another frame runs next: one that `frame` has called, or that called it. */
export const enterLimitedFrame = (frame: Frame, next: Frame): void => {
  if (next.depth > frame.depth) next.callersGas = gasOfAll(frame)
  setCheckBelow(next)
}

export const endLimitedMessage = (first: Frame): void => {
  if (limit !== undefined) left = Math.max(0, gasOfAll(first) - due)
}

/**
 * Checks the limit for a frame with gas below `checkBelow`. Returns the new `checkBelow`, or PAUSED. @throws as
 * RunLimit.check
 */
export const checkLimit = (frame: Frame, gas: number): number => {
  const total = frame.callersGas + gas + Number(frame.gasReserve)
  if (limit !== undefined) {
    limit.check(usageOf(frame))
    due = total - limit.gas
    isPausing = limit.isPauseDue?.() === true
  }
  setCheckBelow(frame)
  // Totals above 2^53 are rounded; this makes the run continue in any case.
  frame.checkBelow = Math.min(frame.checkBelow, gas)
  return isPausing ? PAUSED : frame.checkBelow
}

/** Checks the limit between two steps of long work; true when the run must pause. @throws as RunLimit.check */
export const checkLongWork = (frame: Frame): boolean => {
  if (limit === undefined) return false
  limit.check(usageOf(frame))
  return limit.isPauseDue?.() === true
}

/** Checks the limit before the message of a transaction begins; true when it must pause. @throws as RunLimit.check */
export const checkTransactionLimit = (state: ExecutionState): boolean => {
  if (limit === undefined) return false
  limit.check(usageWith(state, 0))
  return limit.isPauseDue?.() === true
}

/** True once after `checkLimit` returned PAUSED. */
export const takePause = (): boolean => {
  const was = isPausing
  isPausing = false
  return was
}

/** Counts the gas of a precompile, and checks the limit before an expensive one runs. @throws as RunLimit.check */
export const limitPrecompile = (frame: Frame, gas: number): void => {
  if (limit === undefined) return
  due += PRECOMPILE_WEIGHT * gas
  if (PRECOMPILE_WEIGHT * gas >= limit.gas) limit.check(usageOf(frame))
}

/** Counts the gas of work that takes as long; `checkBelow` of the frame changes. */
export const limitDecoding = (frame: Frame, gas: number): void => {
  if (limit === undefined) return
  due += gas
  setCheckBelow(frame)
}

/** Checks the limit before memory grows from one size to another, in bytes. @throws as RunLimit.check */
export const limitMemory = (frame: Frame, from: number, to: number): void => {
  if (limit !== undefined && Math.floor(from / MEMORY_BYTES) !== Math.floor(to / MEMORY_BYTES))
    limit.check(usageOf(frame))
}

/** The gas at which the next check is due; a paused run keeps it. */
export const dueGas = (): number => due
export const setDueGas = (gas: number): void => {
  due = gas
}
