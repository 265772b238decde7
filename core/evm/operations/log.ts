import type { Hash } from '../../bytes/bytes.ts'
import { copyOfMemory, expand } from '../memory.ts'
import { bytes32At, num } from '../stack.ts'
import type { Operation } from './operation.ts'

const LOG_BYTE_GAS = 8

const log =
  (topicCount: number): Operation =>
  (frame, sp, gas) => {
    if (frame.isStatic) {
      frame.halt = 'Illegal state change'
      return -1
    }
    const offset = num[sp]!
    const size = num[sp - 1]!
    const left = expand(frame, offset, size, gas) - LOG_BYTE_GAS * size
    if (!(left >= 0)) return -1
    const topics: Hash[] = []
    for (let i = 0; i < topicCount; i++) topics.push(bytes32At(sp - 2 - i))
    const { state, tracer } = frame.context
    const entry = { address: frame.account.address, topics, data: copyOfMemory(frame, offset, size) }
    state.logs.push(entry)
    tracer?.onLog?.(entry)
    return left
  }

export const LOG: Readonly<Record<number, Operation>> = {
  0xa0: log(0),
  0xa1: log(1),
  0xa2: log(2),
  0xa3: log(3),
  0xa4: log(4),
}
