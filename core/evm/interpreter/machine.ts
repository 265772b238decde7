import { type Aside, putAside, takeAside } from './stackOverflow.ts'
import { type Frame, putFrames, takeFrames } from '../frames/frame.ts'
import { currentWork, type LongWork, setWork } from './longWork.ts'
import { type Memory, putMemory, takeMemory } from './memory.ts'
import { limbs, num, SCRATCH_ITEMS } from './stack.ts'
import { SHARED_STACK_ITEMS } from '../../genesis/evmLimits.ts'
import { dueGas, setDueGas } from './runLimit.ts'

/** A run that pauses. It stays in the one stack, memory and set of frames there is until another run needs them. */
export type PausedRun = {
  /** The frame to go on with. */
  readonly frame: Frame
  /** Gas at which the next check is due. */
  readonly dueGas: number
  readonly work: LongWork | undefined
  moved: Moved | undefined
}

/** What of a paused run was moved out of the way of another. */
type Moved = {
  readonly num: Float64Array
  readonly limbs: Int32Array
  readonly memory: Memory
  readonly frames: Frame[]
  readonly aside: Aside
}

/** The paused run that is still in place. */
let inPlace: PausedRun | undefined

const moveOut = (run: PausedRun): void => {
  // An instruction under way may have items above the top that it has not put there yet.
  const items = Math.min(
    Math.max(run.frame.sp + 1, run.frame.base) + SCRATCH_ITEMS,
    SHARED_STACK_ITEMS + SCRATCH_ITEMS,
  )
  run.moved = {
    num: num.slice(0, items),
    limbs: limbs.slice(0, 8 * items),
    memory: takeMemory(),
    frames: takeFrames(),
    aside: takeAside(),
  }
}

/** Before a message: what a paused run has on the stack and in memory is moved away. */
export const claimMachine = (): void => {
  if (inPlace !== undefined) moveOut(inPlace)
  inPlace = undefined
  setWork(undefined)
}

/** Notes that the run, of which `frame` goes on, pauses. */
export const pauseRun = (frame: Frame): PausedRun => {
  const run: PausedRun = { frame, dueGas: dueGas(), work: currentWork(), moved: undefined }
  inPlace = run
  return run
}

/** Puts everything back as it was when the run paused; gives the frame to go on with. */
export const resumeRun = (run: PausedRun): Frame => {
  if (inPlace !== run) {
    claimMachine()
    const { moved } = run
    if (moved === undefined) throw new Error('a run that is neither in place nor moved cannot be resumed')
    num.set(moved.num)
    limbs.set(moved.limbs)
    putMemory(moved.memory)
    putFrames(moved.frames)
    putAside(moved.aside)
    run.moved = undefined
  }
  inPlace = undefined
  setWork(run.work)
  setDueGas(run.dueGas)
  return run.frame
}

/** The run will not be resumed: what it has in place may be written over. */
export const dropRun = (run: PausedRun): void => {
  if (inPlace === run) inPlace = undefined
}
