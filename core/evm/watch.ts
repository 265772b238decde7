import type { Frame } from './frame.ts'

/** Looks after runs that nobody can foresee the length of: calls of clients, which pay for nothing. */
export type Watch = {
  /** Gas between two looks. */
  readonly gas: number
  /** Returns where the run may go on. @throws what is to end it */
  readonly check: () => void
}

/**
 * Precompiles take longer for their gas than opcodes, up to so many times (measured: a pairing, a modular exponentiation), and
 * are never interrupted; so they count that much more.
 */
const PRECOMPILE_WEIGHT = 8

/** Memory that grows beyond a multiple of this is looked at: filling, copying and hashing it is one step each. */
const MEMORY_BYTES = 256 * 1024

let watch: Watch | undefined
/** Gas until the next look, between two messages. */
let left = 0
/** During a message: the gas of all its frames together below which the next look is due. */
let due = 0

/**
 * Runs something synchronous under a watch: what the interpreter runs in it is looked at again and again. The state of a
 * run that was ended is not to be used.
 */
export const withWatch = <T>(next: Watch, run: () => T): T => {
  const outerWatch = watch
  const outerLeft = left
  const outerDue = due
  watch = next
  left = next.gas
  try {
    return run()
  } finally {
    watch = outerWatch
    left = outerLeft
    due = outerDue
  }
}

const gasOfAll = (frame: Frame): number => frame.below + frame.gas + Number(frame.reserve)

const look = (total: number): void => {
  if (watch === undefined) return
  watch.check()
  due = total - watch.gas
}

/** The gas with which the frame must ask for a look; 0, which no block leaves less than, when nobody watches. */
const setFloor = (frame: Frame): void => {
  frame.floor = Math.max(0, due - frame.below - Number(frame.reserve))
}

/** Begins a message. False when nobody watches it, and then nothing else is to be called for it. */
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
  left = Math.max(0, gasOfAll(first) - due)
}

/** The frame has less than its floor. Gives the new one. @throws what ends the run */
export const lookAt = (frame: Frame, gas: number): number => {
  look(frame.below + gas + Number(frame.reserve))
  setFloor(frame)
  // Totals above 2^53 are rounded: the run must go on all the same.
  frame.floor = Math.min(frame.floor, gas)
  return frame.floor
}

/** Before a precompile runs for so much gas. @throws what ends the run */
export const watchPrecompile = (gas: number): void => {
  if (watch === undefined) return
  due += PRECOMPILE_WEIGHT * gas
  if (PRECOMPILE_WEIGHT * gas >= watch.gas) watch.check()
}

/** Before memory grows from one size to another, bytes. @throws what ends the run */
export const watchMemory = (from: number, to: number): void => {
  if (watch !== undefined && Math.floor(from / MEMORY_BYTES) !== Math.floor(to / MEMORY_BYTES)) watch.check()
}
