import type { Block } from '../../../core/block/block.ts'
import { runStepsYielding } from '../../../core/steps.ts'
import { decodeBlockSteps } from '../../../core/block/codec/block.ts'
import type { CreateYield } from '../../../core/scheduler.ts'

/** Decodes the RLP of a block in steps: a large block takes a second. @throws DecodeError */
export const decodeBlockYielding = async (bytes: Uint8Array, createYield: CreateYield): Promise<Block> =>
  runStepsYielding(decodeBlockSteps(bytes), createYield())
