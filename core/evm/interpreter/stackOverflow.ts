import { type Frame, stackLimitOf } from '../frames/frame.ts'
import { limbs, num } from './stack.ts'
import { SHARED_STACK_ITEMS } from '../../genesis/evmLimits.ts'

/*
 * The items of frames that wait for a call of theirs, where all frames together need more room than the stack has: 1,025
 * frames of 1,024 items can be on the way, and hardly ever are. They come back frame by frame, each once, so that a loop of
 * calls at the edge copies nothing.
 */
let asideNum = new Float64Array(0)
let asideLimbs = new Int32Array(0)
let asideItems = 0
/** Frames above this depth, it included, are on the stack, the first of them at its bottom; those before are aside, whole. */
let firstOnStack = 0

const makeRoom = (items: number): void => {
  if (items <= asideNum.length) return
  const room = Math.max(items, 2 * asideNum.length, SHARED_STACK_ITEMS)
  const moreNum = new Float64Array(room)
  moreNum.set(asideNum)
  asideNum = moreNum
  const moreLimbs = new Int32Array(8 * room)
  moreLimbs.set(asideLimbs)
  asideLimbs = moreLimbs
}

/** Gives the frame that `parent` calls its place on the stack, which has room for all the items it may have. */
export const beginStack = (parent: Frame, child: Frame): void => {
  const items = parent.sp + 1
  if (items + stackLimitOf(parent) <= SHARED_STACK_ITEMS) {
    child.base = items
    return
  }
  makeRoom(asideItems + items)
  asideNum.set(num.subarray(0, items), asideItems)
  asideLimbs.set(limbs.subarray(0, 8 * items), 8 * asideItems)
  asideItems += items
  firstOnStack = child.depth
  child.base = 0
}

/** Brings the items of a frame back that the one it called has ended for. */
export const resumeStack = (parent: Frame): void => {
  if (parent.depth >= firstOnStack) return
  const items = parent.sp + 1 - parent.base
  asideItems -= items
  num.set(asideNum.subarray(asideItems, asideItems + items))
  limbs.set(asideLimbs.subarray(8 * asideItems, 8 * (asideItems + items)))
  firstOnStack = parent.depth
  parent.base = 0
  parent.sp = items - 1
}

/** The items aside of a run that pauses. */
export type Aside = {
  readonly num: Float64Array<ArrayBuffer>
  readonly limbs: Int32Array<ArrayBuffer>
  readonly items: number
  readonly firstOnStack: number
}

/** Takes them away; the next run begins with none. */
export const takeAside = (): Aside => {
  const taken = { num: asideNum, limbs: asideLimbs, items: asideItems, firstOnStack }
  asideNum = new Float64Array(0)
  asideLimbs = new Int32Array(0)
  asideItems = 0
  firstOnStack = 0
  return taken
}

export const putAside = (taken: Aside): void => {
  asideNum = taken.num
  asideLimbs = taken.limbs
  asideItems = taken.items
  firstOnStack = taken.firstOnStack
}

/** Before and after a message: nothing is aside, whether the one before came to its end or not. */
export const clearAside = (): void => {
  firstOnStack = 0
  asideItems = 0
  if (asideNum.length === 0) return
  asideNum = new Float64Array(0)
  asideLimbs = new Int32Array(0)
}
