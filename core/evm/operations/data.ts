import { HASH_WORD_GAS } from '../gas/costs.ts'
import { keccak256Words } from '../../crypto/crypto.ts'
import { keccak256Steps } from '../../crypto/keccakSteps.ts'
import type { Frame } from '../frames/frame.ts'
import { beginWork, BULK_BYTES, type LongWork, SUSPENDED } from '../interpreter/longWork.ts'
import { copyPadded, copyPaddedSteps, expand, memory } from '../interpreter/memory.ts'
import {
  canonicalize,
  limbs as stackLimbs,
  lowOf,
  numbers as stackNumbers,
  putBytes32,
  putLimbs,
} from '../interpreter/stack.ts'
import { mayPause } from '../interpreter/runLimit.ts'
import type { Operation } from './operation.ts'

// Constants of this module: see interpreter.ts.
const limbs = stackLimbs
const numbers = stackNumbers

const COPY_WORD_GAS = 3

/** Expands memory and charges for copying `size` bytes to `offset`. Returns the gas left, or SUSPENDED. */
export const chargeCopy = (frame: Frame, offset: number, size: number, gas: number): number => {
  const left = expand(frame, offset, size, gas)
  return left < 0 ? left : left - COPY_WORD_GAS * Math.ceil(size / 32)
}

/** The stack item as an offset into data; a large item is beyond every end. */
export const dataOffset = (i: number): number => {
  const n = numbers[i]!
  return n === n ? n : Number.MAX_SAFE_INTEGER
}

function* copyWork(frame: Frame, from: Uint8Array, offset: number, to: number, size: number): LongWork {
  yield* copyPaddedSteps(from, offset, to, size)
  return frame
}

/** Copies to the frame's memory, which is long enough. Returns `gas`, the gas left, or SUSPENDED. */
export const copyToMemory = (
  frame: Frame,
  from: Uint8Array,
  offset: number,
  to: number,
  size: number,
  gas: number,
): number => {
  if (gas < 0 || size === 0) return gas
  if (size <= BULK_BYTES || !mayPause()) {
    copyPadded(from, offset, frame.memoryAt + to, size)
    return gas
  }
  frame.gas = gas
  beginWork(copyWork(frame, from, offset, frame.memoryAt + to, size))
  return SUSPENDED
}

const copyOperation =
  (data: (frame: Frame) => Uint8Array): Operation =>
  (frame, sp, gas) => {
    const to = numbers[sp]!
    const size = numbers[sp - 2]!
    const left = chargeCopy(frame, to, size, gas)
    return copyToMemory(frame, data(frame), dataOffset(sp - 1), to, size, left)
  }

const callDataCopy: Operation = (frame, sp, gas) => {
  const to = numbers[sp]!
  const from = dataOffset(sp - 1)
  const size = numbers[sp - 2]!
  const left = chargeCopy(frame, to, size, gas)
  if (left < 0 || size === 0) return left
  if (size > BULK_BYTES) {
    const input = memory.bytes.subarray(frame.inputAt, frame.inputAt + frame.inputSize)
    return copyToMemory(frame, input, from, to, size, left)
  }
  const at = frame.memoryAt + to
  const available = from < frame.inputSize ? Math.min(size, frame.inputSize - from) : 0
  if (available > 0) memory.bytes.copyWithin(at, frame.inputAt + from, frame.inputAt + from + available)
  if (available < size) memory.bytes.fill(0, at + available, at + size)
  return left
}

const returnDataCopy: Operation = (frame, sp, gas) => {
  const to = numbers[sp]!
  const from = dataOffset(sp - 1)
  const size = numbers[sp - 2]!
  if (!(from + size <= frame.returnData.length)) {
    frame.halt = 'Out of bounds'
    return -1
  }
  const left = chargeCopy(frame, to, size, gas)
  return copyToMemory(frame, frame.returnData, from, to, size, left)
}

/** Copies within the memory, in the direction in which no byte is overwritten before it is read. */
function* moveWork(frame: Frame, from: number, to: number, size: number): LongWork {
  const isUp = to > from
  for (let done = 0; done < size; done += BULK_BYTES) {
    const length = Math.min(BULK_BYTES, size - done)
    const at = isUp ? size - done - length : done
    memory.bytes.copyWithin(to + at, from + at, from + at + length)
    yield
  }
  return frame
}

const memoryCopy: Operation = (frame, sp, gas) => {
  const to = numbers[sp]!
  const from = numbers[sp - 1]!
  const size = numbers[sp - 2]!
  let left = expand(frame, to, size, gas)
  if (left >= 0) left = chargeCopy(frame, from, size, left)
  if (left < 0 || size === 0) return left
  const at = frame.memoryAt + from
  if (size > BULK_BYTES && mayPause()) {
    frame.gas = left
    beginWork(moveWork(frame, at, frame.memoryAt + to, size))
    return SUSPENDED
  }
  memory.bytes.copyWithin(frame.memoryAt + to, at, at + size)
  return left
}

function* hashWork(frame: Frame, at: number, size: number, sp: number): LongWork {
  putBytes32(sp, yield* keccak256Steps(memory.bytes.subarray(at, at + size)))
  return frame
}

const hash: Operation = (frame, sp, gas) => {
  const offset = numbers[sp]!
  const size = numbers[sp - 1]!
  const paid = expand(frame, offset, size, gas)
  if (paid === SUSPENDED) return paid
  const left = paid - HASH_WORD_GAS * Math.ceil(size / 32)
  if (left < 0 || size !== size) return -1
  const at = size === 0 ? 0 : frame.memoryAt + offset
  if (size > BULK_BYTES && mayPause()) {
    frame.gas = left
    beginWork(hashWork(frame, at, size, sp - 1))
    return SUSPENDED
  }
  // As 32-bit integers, which engines index faster with.
  keccak256Words(memory.view, at >>> 0, (at + size) >>> 0, limbs, (sp - 1) << 3)
  canonicalize(sp - 1)
  return left
}

/** CALLDATALOAD of a word that extends beyond the end of the input. */
export const loadInputEdge = (frame: Frame, i: number): void => {
  const offset = dataOffset(i)
  const edge = new Uint8Array(32)
  if (offset < frame.inputSize) {
    const at = frame.inputAt + offset
    edge.set(memory.bytes.subarray(at, Math.min(at + 32, frame.inputAt + frame.inputSize)))
  }
  putBytes32(i, edge)
}

/** MLOAD of 32 bytes at an offset of the view. */
export const loadWord = (view: DataView, at: number, i: number): void =>
  putLimbs(
    i,
    view.getInt32(at + 28),
    view.getInt32(at + 24),
    view.getInt32(at + 20),
    view.getInt32(at + 16),
    view.getInt32(at + 12),
    view.getInt32(at + 8),
    view.getInt32(at + 4),
    view.getInt32(at),
  )

/** MSTORE of item `i` to an offset of the view. */
export const storeWord = (view: DataView, at: number, i: number): void => {
  const n = numbers[i]!
  if (n === n) {
    view.setInt32(at, 0)
    view.setInt32(at + 4, 0)
    view.setInt32(at + 8, 0)
    view.setInt32(at + 12, 0)
    view.setInt32(at + 16, 0)
    view.setInt32(at + 20, 0)
    view.setInt32(at + 24, (n / 4294967296) | 0)
    view.setInt32(at + 28, lowOf(n))
    return
  }
  const from = i << 3
  view.setInt32(at, limbs[from + 7]!)
  view.setInt32(at + 4, limbs[from + 6]!)
  view.setInt32(at + 8, limbs[from + 5]!)
  view.setInt32(at + 12, limbs[from + 4]!)
  view.setInt32(at + 16, limbs[from + 3]!)
  view.setInt32(at + 20, limbs[from + 2]!)
  view.setInt32(at + 24, limbs[from + 1]!)
  view.setInt32(at + 28, limbs[from]!)
}

const storeByte: Operation = (frame, sp, gas) => {
  const offset = numbers[sp]!
  const left = expand(frame, offset, 1, gas)
  if (left < 0) return left
  const n = numbers[sp - 1]!
  memory.bytes[frame.memoryAt + offset] = n === n ? lowOf(n) : limbs[(sp - 1) << 3]!
  return left
}

export const DATA: Readonly<Record<number, Operation>> = {
  0x20: hash,
  0x37: callDataCopy,
  0x39: copyOperation(frame => frame.code),
  0x3d: (frame, sp, gas) => {
    numbers[sp + 1] = frame.returnData.length
    return gas
  },
  0x3e: returnDataCopy,
  0x53: storeByte,
  0x59: (frame, sp, gas) => {
    numbers[sp + 1] = frame.memorySize
    return gas
  },
  0x5e: memoryCopy,
}
