import { totalmem } from 'node:os'
import { constrainedMemory } from 'node:process'
import { getHeapStatistics } from 'node:v8'
import { EXECUTION_BYTES_MAX } from '../../../core/chain/execution/bounds.ts'

/** Share of the memory that the execution of a block may take; the rest is for the node itself. */
const SHARE = 3 / 4

/** The limit of the container, or what the machine has. Without a limit the runtimes give 0, nothing or a huge number. */
const machineBytes = (): number => {
  const limit = constrainedMemory()
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem()
}

/** V8 ends the process at its heap's limit, where most of an execution is; Bun's heap has none. */
const heapBytes = (): number => ('Bun' in globalThis ? Infinity : getHeapStatistics().heap_size_limit)

/** Memory in bytes that the execution of a block may take in this process. */
export const executionBytesMax = (): number =>
  Math.min(EXECUTION_BYTES_MAX, Math.floor(SHARE * Math.min(machineBytes(), heapBytes())))
