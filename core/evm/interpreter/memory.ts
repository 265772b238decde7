import type { Frame } from '../frames/frame.ts'
import { beginWorkBefore, BULK_BYTES, type LongWork, SUSPENDED } from './longWork.ts'
import type { Steps } from '../../steps.ts'
import { isWatched, watchMemory } from './runLimit.ts'

/** Gas of one 32-byte word, linear part (Yellow Paper, G_memory). */
const WORD_GAS = 3
const QUADRATIC_DIVISOR = 512
/**
 * The memory of all frames ends here, where the arrays of some runtimes do: what asks for more runs out of gas, and the
 * block's execution says so (`ExecutionState.memoryMissing`). It costs 35,000,000,000,000 gas.
 */
export const MEMORY_BYTES_MAX = 2 ** 32 - 32
/** Places below fit a 32-bit integer, in which the interpreter computes them; words further up take a slower way. */
export const NEAR_BYTES_MAX = 2 ** 31 - 32
const BYTES_FIRST = 64 * 1024
const PAGE_BYTES = 64 * 1024
const PAGES_MAX = 65_536
/**
 * Longer memory is WebAssembly's, and given back after the transaction. It grows in place and its pages come as they are
 * used: an array of 512 MB can take 260 ms to be allocated, and the old bytes have to be copied.
 */
const ARRAY_BYTES_MAX = 16 * 1024 * 1024

export type Memory = {
  bytes: Uint8Array
  view: DataView
  /** Bytes from here on have never been written. */
  usedTo: number
  /** What long memory grows by; undefined for an array. */
  growing: WebAssembly.Memory | undefined
}

const emptyMemory = (): Memory => {
  const bytes = new Uint8Array(BYTES_FIRST)
  return { bytes, view: new DataView(bytes.buffer), usedTo: 0, growing: undefined }
}

/**
 * The memory of all frames, one behind the other, beginning with the input of the first. A child's memory begins where its
 * parent's ends, which cannot grow while the child runs; so a child reads its input where the parent has it.
 */
export const memory: Memory = emptyMemory()

/** Takes the memory away for a run that pauses; the next one gets an empty one. */
export const takeMemory = (): Memory => {
  const taken = { ...memory }
  Object.assign(memory, emptyMemory())
  return taken
}

export const putMemory = (taken: Memory): void => {
  Object.assign(memory, taken)
}

/** No machine has the memory that the execution needs. */
export class MemoryUnavailable extends Error {
  override readonly name = 'MemoryUnavailable'
  readonly code = 'MEMORY_UNAVAILABLE'
}

const lengthFor = (end: number): number => {
  let { length } = memory.bytes
  while (length < end) length *= 2
  return Math.min(length, PAGES_MAX * PAGE_BYTES)
}

/** @throws MemoryUnavailable */
const allocating = <T>(length: number, allocate: () => T): T => {
  try {
    return allocate()
  } catch (cause) {
    throw new MemoryUnavailable(`this machine has no ${length} bytes of memory for the execution`, { cause })
  }
}

const allocate = (length: number): Uint8Array => allocating(length, () => new Uint8Array(length))

/** The bytes of memory of that length, zero, and what they grow by. */
const allocateMemory = (length: number): Pick<Memory, 'bytes' | 'growing'> => {
  if (length <= ARRAY_BYTES_MAX) return { bytes: allocate(length), growing: undefined }
  const pages = { initial: length / PAGE_BYTES, maximum: PAGES_MAX }
  const growing = allocating(length, () => new WebAssembly.Memory(pages))
  return { bytes: bytesOf(growing), growing }
}

/** Bytes of any length, zero, that are not memory. */
const allocateBytes = (length: number): Uint8Array =>
  length <= ARRAY_BYTES_MAX
    ? allocate(length)
    : allocateMemory(PAGE_BYTES * Math.ceil(length / PAGE_BYTES)).bytes.subarray(0, length)

/** No array is longer than MEMORY_BYTES_MAX in some runtimes. */
const bytesOf = ({ buffer }: WebAssembly.Memory): Uint8Array =>
  new Uint8Array(buffer, 0, Math.min(buffer.byteLength, MEMORY_BYTES_MAX))

const use = ({ bytes, growing }: Pick<Memory, 'bytes' | 'growing'>, usedTo: number): void => {
  memory.bytes = bytes
  memory.view = new DataView(bytes.buffer, 0, bytes.length)
  memory.growing = growing
  memory.usedTo = usedTo
}

/** True where the memory has room for `end` bytes, or grew in place to have it. */
const hasRoom = (end: number): boolean => {
  if (end <= memory.bytes.length) return true
  const { growing } = memory
  if (growing === undefined) return false
  const more = lengthFor(end) - growing.buffer.byteLength
  allocating(more, () => growing.grow(more / PAGE_BYTES))
  use({ bytes: bytesOf(growing), growing }, memory.usedTo)
  return true
}

/** Makes room for `end` bytes in all, of which those from `from` on are cleared. */
export const reserve = (from: number, end: number): void => {
  if (!hasRoom(end)) {
    const next = allocateMemory(lengthFor(end))
    next.bytes.set(memory.bytes.subarray(0, from))
    use(next, from)
  }
  if (from < memory.usedTo) memory.bytes.fill(0, from, Math.min(end, memory.usedTo))
  if (end > memory.usedTo) memory.usedTo = end
}

/** The same in steps, for much memory. */
export function* reserveSteps(from: number, end: number): Steps<void> {
  if (!hasRoom(end)) {
    const next = allocateMemory(lengthFor(end))
    yield* copySteps(memory.bytes, 0, from, next.bytes, 0)
    use(next, from)
  }
  for (let at = from; at < Math.min(end, memory.usedTo); at += BULK_BYTES) {
    memory.bytes.fill(0, at, Math.min(at + BULK_BYTES, end, memory.usedTo))
    yield
  }
  if (end > memory.usedTo) memory.usedTo = end
}

/** Copies bytes of one array to another, which may not be the same. */
export function* copySteps(
  source: Uint8Array,
  start: number,
  end: number,
  target: Uint8Array,
  to: number,
): Steps<void> {
  for (let at = start; at < end; at += BULK_BYTES) {
    target.set(source.subarray(at, Math.min(at + BULK_BYTES, end)), to + at - start)
    yield
  }
}

/** Gives long memory back; only between transactions. */
export const releaseMemory = (): void => {
  if (memory.growing !== undefined) Object.assign(memory, emptyMemory())
}

/** Gas of memory of so many words, all of it (Yellow Paper, C_mem). */
export const memoryGas = (words: number): number =>
  words * WORD_GAS + Math.floor((words * words) / QUADRATIC_DIVISOR)

function* growSteps(frame: Frame, from: number, to: number): LongWork {
  yield* reserveSteps(from, to)
  return frame
}

/**
 * Extends the frame's memory to hold `size` bytes at `offset`. Gives the gas left, negative when it was too little, or
 * SUSPENDED: then the instruction is to begin again when the memory is there, and finds the gas for it paid.
 */
export const expand = (frame: Frame, offset: number, size: number, gas: number): number => {
  if (size === 0) return gas
  const end = offset + size
  if (end <= frame.memorySize) return gas
  const words = Math.ceil(end / 32)
  const left = gas - memoryGas(words) + memoryGas(frame.memorySize / 32)
  if (left < 0) return left
  if (!(frame.memoryAt + end <= MEMORY_BYTES_MAX)) {
    // An offset above 2^53 is not a number here, and no gas pays for it.
    if (end === end) frame.context.state.memoryMissing = true
    return -1
  }
  const from = frame.memoryAt + frame.memorySize
  frame.memorySize = 32 * words
  frame.nearSize = Math.min(frame.memorySize, NEAR_BYTES_MAX - frame.memoryAt)
  const to = frame.memoryAt + frame.memorySize
  watchMemory(frame, from, to)
  const isLarge = to - from > BULK_BYTES || (to > memory.bytes.length && from > BULK_BYTES)
  if (isLarge && isWatched()) {
    frame.gas = left
    beginWorkBefore(growSteps(frame, from, to))
    return SUSPENDED
  }
  reserve(from, to)
  return left
}

/** Copies `size` bytes of `from`, starting at `offset`, to the absolute place `to`, with zeros beyond the end. */
export const copyPadded = (from: Uint8Array, offset: number, to: number, size: number): void => {
  const there = offset < from.length ? Math.min(size, from.length - offset) : 0
  if (there > 0) memory.bytes.set(there === from.length ? from : from.subarray(offset, offset + there), to)
  if (there < size) memory.bytes.fill(0, to + there, to + size)
}

/** The same in steps, for much. */
export function* copyPaddedSteps(from: Uint8Array, offset: number, to: number, size: number): Steps<void> {
  for (let at = 0; at < size; at += BULK_BYTES) {
    copyPadded(from, offset + at, to + at, Math.min(BULK_BYTES, size - at))
    yield
  }
}

/** A copy of the frame's memory; empty for no bytes, wherever they are. */
export const copyOfMemory = (frame: Frame, offset: number, size: number): Uint8Array =>
  size === 0 ? EMPTY : memory.bytes.slice(frame.memoryAt + offset, frame.memoryAt + offset + size)

/** The same in steps, for much: of `size` bytes at the absolute place `at`. */
export function* copyOfMemorySteps(at: number, size: number): Steps<Uint8Array> {
  const copy = allocateBytes(size)
  for (let done = 0; done < size; done += BULK_BYTES) {
    copy.set(memory.bytes.subarray(at + done, at + Math.min(done + BULK_BYTES, size)), done)
    yield
  }
  return copy
}

const EMPTY = new Uint8Array(0)

/** A copy of any part of the frame's memory as it would read: zeros where it does not reach yet. For tracers. */
export const memoryOf = (frame: Frame, offset: number, size: number): Uint8Array => {
  const bytes = new Uint8Array(size)
  const there = Math.min(size, Math.max(0, frame.memorySize - offset))
  const at = frame.memoryAt + offset
  if (there > 0) bytes.set(memory.bytes.subarray(at, at + there))
  return bytes
}
