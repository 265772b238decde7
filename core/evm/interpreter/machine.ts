import { type SpilledStack, putSpilledStack, takeSpilledStack } from './stackSpill.ts'
import { type Frame, putFrames, takeFrames } from '../frames/frame.ts'
import { currentWork, type LongWork, setWork } from './longWork.ts'
import { type Memory, putMemory, takeMemory } from './memory.ts'
import { limbs, numbers, SCRATCH_ITEMS } from './stack.ts'
import { SHARED_STACK_ITEMS } from '../../genesis/evmLimits.ts'
import { dueGas, setDueGas } from './runLimit.ts'

/** A paused run. Its data stay in the shared stack, memory and frames until another run needs them. */
export type PausedRun = {
  /** The frame that runs next. */
  readonly frame: Frame
  /** Gas of all frames at which the next check is due. */
  readonly dueGas: number
  readonly work: LongWork | undefined
  moved: Moved | undefined
}

/** The data of a paused run, moved out of the shared stack, memory and frames. */
type Moved = {
  readonly numbers: Float64Array
  readonly limbs: Int32Array
  readonly memory: Memory
  readonly frames: Frame[]
  readonly spilled: SpilledStack
}

/** The paused run whose data are still in place. */
let inPlace: PausedRun | undefined

const moveOut = (run: PausedRun): void => {
  // A suspended instruction may use scratch items above the top.
  const items = Math.min(
    Math.max(run.frame.sp + 1, run.frame.base) + SCRATCH_ITEMS,
    SHARED_STACK_ITEMS + SCRATCH_ITEMS,
  )
  run.moved = {
    numbers: numbers.slice(0, items),
    limbs: limbs.slice(0, 8 * items),
    memory: takeMemory(),
    frames: takeFrames(),
    spilled: takeSpilledStack(),
  }
}

/** Before a message: moves the data of a paused run out of the shared stack, memory and frames. */
export const claimMachine = (): void => {
  if (inPlace !== undefined) moveOut(inPlace)
  inPlace = undefined
  setWork(undefined)
}

/** Pauses the run, which will continue with `frame`. */
export const pauseRun = (frame: Frame): PausedRun => {
  const run: PausedRun = { frame, dueGas: dueGas(), work: currentWork(), moved: undefined }
  inPlace = run
  return run
}

/** Restores the data of a paused run. Returns the frame that runs next. */
export const resumeRun = (run: PausedRun): Frame => {
  if (inPlace !== run) {
    claimMachine()
    const { moved } = run
    if (moved === undefined) throw new Error('a run that is neither in place nor moved cannot be resumed')
    numbers.set(moved.numbers)
    limbs.set(moved.limbs)
    putMemory(moved.memory)
    putFrames(moved.frames)
    putSpilledStack(moved.spilled)
    run.moved = undefined
  }
  inPlace = undefined
  setWork(run.work)
  setDueGas(run.dueGas)
  return run.frame
}

/** Discards a paused run: its data in place may be overwritten. */
export const dropRun = (run: PausedRun): void => {
  if (inPlace === run) inPlace = undefined
}
