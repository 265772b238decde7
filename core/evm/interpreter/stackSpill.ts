import { type Frame, stackLimitOf } from '../frames/frame.ts'
import { limbs, numbers } from './stack.ts'
import { SHARED_STACK_ITEMS } from '../../genesis/evmLimits.ts'

/*
 * The spilled items of calling frames, used when all frames together need more room than the shared stack has: 1,025 frames
 * of 1,024 items are possible but rare. Items return frame by frame, each once, so that a loop of calls at the boundary
 * copies nothing.
 */
let spilledNumbers = new Float64Array(0)
let spilledLimbs = new Int32Array(0)
let spilledItems = 0
/** Depth of the first frame on the shared stack, at its bottom; the items of all frames before it are spilled. */
let firstOnStack = 0

const makeRoom = (items: number): void => {
  if (items <= spilledNumbers.length) return
  const room = Math.max(items, 2 * spilledNumbers.length, SHARED_STACK_ITEMS)
  const moreNumbers = new Float64Array(room)
  moreNumbers.set(spilledNumbers)
  spilledNumbers = moreNumbers
  const moreLimbs = new Int32Array(8 * room)
  moreLimbs.set(spilledLimbs)
  spilledLimbs = moreLimbs
}

/** Sets the base of the frame that `parent` calls, so that the shared stack has room for all its items. */
export const beginStack = (parent: Frame, child: Frame): void => {
  const items = parent.sp + 1
  if (items + stackLimitOf(parent) <= SHARED_STACK_ITEMS) {
    child.base = items
    return
  }
  makeRoom(spilledItems + items)
  spilledNumbers.set(numbers.subarray(0, items), spilledItems)
  spilledLimbs.set(limbs.subarray(0, 8 * items), 8 * spilledItems)
  spilledItems += items
  firstOnStack = child.depth
  child.base = 0
}

/** Brings back the items of a frame whose callee has ended. */
export const resumeStack = (parent: Frame): void => {
  if (parent.depth >= firstOnStack) return
  const items = parent.sp + 1 - parent.base
  spilledItems -= items
  numbers.set(spilledNumbers.subarray(spilledItems, spilledItems + items))
  limbs.set(spilledLimbs.subarray(8 * spilledItems, 8 * (spilledItems + items)))
  firstOnStack = parent.depth
  parent.base = 0
  parent.sp = items - 1
}

/** The spilled items of a paused run. */
export type SpilledStack = {
  readonly numbers: Float64Array<ArrayBuffer>
  readonly limbs: Int32Array<ArrayBuffer>
  readonly items: number
  readonly firstOnStack: number
}

/** Takes the spilled items of a run that pauses; the next run begins without any. */
export const takeSpilledStack = (): SpilledStack => {
  const taken = { numbers: spilledNumbers, limbs: spilledLimbs, items: spilledItems, firstOnStack }
  spilledNumbers = new Float64Array(0)
  spilledLimbs = new Int32Array(0)
  spilledItems = 0
  firstOnStack = 0
  return taken
}

export const putSpilledStack = (taken: SpilledStack): void => {
  spilledNumbers = taken.numbers
  spilledLimbs = taken.limbs
  spilledItems = taken.items
  firstOnStack = taken.firstOnStack
}

/** Before and after a message: removes spilled items, also those of a message that did not end. */
export const clearSpilledStack = (): void => {
  firstOnStack = 0
  spilledItems = 0
  if (spilledNumbers.length === 0) return
  spilledNumbers = new Float64Array(0)
  spilledLimbs = new Int32Array(0)
}
