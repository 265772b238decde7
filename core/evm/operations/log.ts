import type { Hash } from '../../bytes/bytes.ts'
import { LOG_HELD_BYTES, TOPIC_HELD_BYTES } from '../../state/heldBytes.ts'
import type { Frame } from '../frames/frame.ts'
import { beginWork, BULK_BYTES, type LongWork, SUSPENDED } from '../interpreter/longWork.ts'
import { copyOfMemory, copyOfMemorySteps, expand } from '../interpreter/memory.ts'
import { bytes32At, numbers } from '../interpreter/stack.ts'
import { mayPause } from '../interpreter/runLimit.ts'
import type { Operation } from './operation.ts'

const LOG_BYTE_GAS = 8
/** Bytes of a log in its receipt besides its data: address and lengths, and each topic. */
const LOG_BYTES = 32
const TOPIC_BYTES = 33

const emit = (frame: Frame, topics: readonly Hash[], data: Uint8Array): void => {
  const { state, tracer } = frame.context
  const entry = { address: frame.account.address, topics, data }
  state.logs.push(entry)
  state.logBytes += LOG_BYTES + TOPIC_BYTES * topics.length + data.length
  state.heldBytes += LOG_HELD_BYTES + TOPIC_HELD_BYTES * topics.length + data.length
  tracer?.onLog?.(entry)
}

function* emitWork(frame: Frame, topics: readonly Hash[], at: number, size: number): LongWork {
  emit(frame, topics, yield* copyOfMemorySteps(at, size))
  return frame
}

const log =
  (topicCount: number): Operation =>
  (frame, sp, gas) => {
    if (frame.isStatic) {
      frame.halt = 'Illegal state change'
      return -1
    }
    const offset = numbers[sp]!
    const size = numbers[sp - 1]!
    const paid = expand(frame, offset, size, gas)
    if (paid === SUSPENDED) return paid
    const left = paid - LOG_BYTE_GAS * size
    if (!(left >= 0)) return -1
    const topics: Hash[] = []
    for (let i = 0; i < topicCount; i++) topics.push(bytes32At(sp - 2 - i))
    if (size > BULK_BYTES && mayPause()) {
      frame.gas = left
      beginWork(emitWork(frame, topics, frame.memoryAt + offset, size))
      return SUSPENDED
    }
    emit(frame, topics, copyOfMemory(frame, offset, size))
    return left
  }

export const LOG: Readonly<Record<number, Operation>> = {
  0xa0: log(0),
  0xa1: log(1),
  0xa2: log(2),
  0xa3: log(3),
  0xa4: log(4),
}
