import { type ExecutionState, transactionBytes } from '../../state/executionState.ts'
import { bytesOfFrames, type Frame } from '../frames/frame.ts'

/** Limits the run time of executions: of calls, which nobody pays for, and of the transactions of a block. */
export type Watch = {
  /** Gas between two checks. */
  readonly gas: number
  /** Returns where the run may go on. @throws what is to end it */
  readonly check: (usage: Usage) => void
  /** True when the run is to pause, to be resumed later. Without it a run never pauses. */
  readonly isPauseDue?: () => boolean
}

/** What the running transaction has taken so far. */
export type Usage = {
  /** Estimate of all that it holds: the memory and results of its frames, accounts, slots, logs, code and undo log. */
  readonly memoryBytes: number
  /** The same with what the transactions before it in the block left. */
  readonly blockMemoryBytes: number
  readonly logs: number
  /** What all logs take in a receipt, those of reverted calls included. */
  readonly logBytes: number
  /** Changes of the state that can still be undone. */
  readonly changes: number
}

/**
 * Precompiles take up to so many times longer for their gas than opcodes (measured: a pairing, a modular exponentiation), so
 * they count that much more.
 */
const PRECOMPILE_WEIGHT = 8

/** Memory that grows beyond a multiple of this is checked: filling, copying and hashing it is one instruction each. */
const MEMORY_BYTES = 256 * 1024

let watch: Watch | undefined
/** Gas until the next check, between two messages. */
let left = 0
/** During a message: the gas of all its frames together below which the next check is due. */
let due = 0
let isPausing = false

/** In place of a floor: the run pauses before the block. */
export const PAUSED = -1

/**
 * Runs something synchronous under a watch: what the interpreter runs in it is checked again and again. The state of a
 * run that was ended is not to be used.
 */
export const withWatch = <T>(next: Watch, run: () => T): T => {
  const outerWatch = watch
  const outerLeft = left
  const outerDue = due
  watch = next
  left = next.gas
  isPausing = false
  try {
    return run()
  } finally {
    watch = outerWatch
    left = outerLeft
    due = outerDue
  }
}

/** Whether long work of one instruction is to be done in steps. */
export const isWatched = (): boolean => watch !== undefined

const gasOfAll = (frame: Frame): number => frame.below + frame.gas + Number(frame.reserve)

const usageWith = (state: ExecutionState, frameBytes: number): Usage => {
  const memoryBytes = frameBytes + transactionBytes(state)
  return {
    memoryBytes,
    blockMemoryBytes: memoryBytes + state.heldBytesBefore,
    logs: state.logs.length,
    logBytes: state.logBytes,
    changes: state.journal.length,
  }
}

const usageOf = ({ context: { state }, memoryAt, memorySize, depth }: Frame): Usage =>
  usageWith(state, memoryAt + memorySize + bytesOfFrames(depth))

/** The gas with which the frame must ask for a check; 0, which no block leaves less than, without a watch. */
const setFloor = (frame: Frame): void => {
  frame.floor = Math.max(0, due - frame.below - Number(frame.reserve))
}

/** Begins a message. False without a watch, and then nothing else is to be called for it. */
export const beginWatch = (first: Frame): boolean => {
  if (watch === undefined) return false
  first.below = 0
  due = gasOfAll(first) - left
  setFloor(first)
  return true
}

/** Another frame goes on: one that `frame` has called, or that called it. */
export const followWatch = (frame: Frame, next: Frame): void => {
  if (next.depth > frame.depth) next.below = gasOfAll(frame)
  setFloor(next)
}

export const endWatch = (first: Frame): void => {
  if (watch !== undefined) left = Math.max(0, gasOfAll(first) - due)
}

/** The frame has less than its floor. Gives the new one, or PAUSED. @throws what ends the run */
export const checkAt = (frame: Frame, gas: number): number => {
  const total = frame.below + gas + Number(frame.reserve)
  if (watch !== undefined) {
    watch.check(usageOf(frame))
    due = total - watch.gas
    isPausing = watch.isPauseDue?.() === true
  }
  setFloor(frame)
  // Totals above 2^53 are rounded: the run must go on all the same.
  frame.floor = Math.min(frame.floor, gas)
  return isPausing ? PAUSED : frame.floor
}

/** Between two steps of long work; true where the run is to pause. @throws what ends the run */
export const checkWork = (frame: Frame): boolean => {
  if (watch === undefined) return false
  watch.check(usageOf(frame))
  return watch.isPauseDue?.() === true
}

/** Between two steps of a transaction whose message has not begun; true where it is to pause. @throws what ends the run */
export const checkBefore = (state: ExecutionState): boolean => {
  if (watch === undefined) return false
  watch.check(usageWith(state, 0))
  return watch.isPauseDue?.() === true
}

/** True once after a frame paused. */
export const takePause = (): boolean => {
  const was = isPausing
  isPausing = false
  return was
}

/** Before a precompile runs for so much gas. @throws what ends the run */
export const watchPrecompile = (frame: Frame, gas: number): void => {
  if (watch === undefined) return
  due += PRECOMPILE_WEIGHT * gas
  if (PRECOMPILE_WEIGHT * gas >= watch.gas) watch.check(usageOf(frame))
}

/** Before memory grows from one size to another, bytes. @throws what ends the run */
export const watchMemory = (frame: Frame, from: number, to: number): void => {
  if (watch !== undefined && Math.floor(from / MEMORY_BYTES) !== Math.floor(to / MEMORY_BYTES))
    watch.check(usageOf(frame))
}

/** What a paused run keeps of the watch. */
export const dueGas = (): number => due
export const setDueGas = (gas: number): void => {
  due = gas
}
