import type { Block } from '../../core/block/block.ts'
import { decodeBlockSteps } from '../../core/block/codec/block.ts'
import { createSlice } from '../schedule.ts'

/** A block of a peer from its RLP; other work goes on meanwhile, for a large one takes a second. @throws DecodeError */
export const decodeInSlices = async (bytes: Uint8Array): Promise<Block> => {
  const pause = createSlice()
  const steps = decodeBlockSteps(bytes)
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
    await pause()
  }
}
