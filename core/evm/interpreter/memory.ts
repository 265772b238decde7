import type { Frame } from '../frames/frame.ts'
import { beginWorkThenRestart, BULK_BYTES, type LongWork, SUSPENDED } from './longWork.ts'
import type { Steps } from '../../steps.ts'
import { mayPause, limitMemory } from './runLimit.ts'

/** Gas of one 32-byte word, linear part (Yellow Paper, G_memory). */
const WORD_GAS = 3
const QUADRATIC_DIVISOR = 512
/**
 * Most memory of all frames together, the longest array of some runtimes. A frame that expands beyond it runs out of gas,
 * and `ExecutionState.memoryMissing` reports it. So much memory costs 35,000,000,000,000 gas.
 */
export const MEMORY_BYTES_MAX = 2 ** 32 - 32
/** The interpreter computes offsets below this as 32-bit integers; words above take a slower path. */
const NEAR_BYTES_MAX = 2 ** 31 - 32
const BYTES_FIRST = 64 * 1024
const PAGE_BYTES = 64 * 1024
const PAGES_MAX = 65_536
/**
 * Longer memory is a WebAssembly.Memory, released after the transaction. It grows in place, and the operating system
 * provides its pages when they are used: an array of 512 MB can take 260 ms to allocate, and the old bytes to be copied.
 */
const ARRAY_BYTES_MAX = 16 * 1024 * 1024

export type Memory = {
  bytes: Uint8Array
  view: DataView
  /** Bytes from this offset on were never written. */
  usedTo: number
  /** The memory behind `bytes` when it is long; undefined for an array. */
  wasmMemory: WebAssembly.Memory | undefined
}

const emptyMemory = (): Memory => {
  const bytes = new Uint8Array(BYTES_FIRST)
  return { bytes, view: new DataView(bytes.buffer), usedTo: 0, wasmMemory: undefined }
}

/**
 * The memory of all frames, one after the other, after the input of the first. A callee's memory begins at the end of its
 * caller's, which cannot grow while the callee runs; so a callee reads its input directly from the caller's memory.
 */
export const memory: Memory = emptyMemory()

/** Takes the memory of a run that pauses; the next run gets an empty one. */
export const takeMemory = (): Memory => {
  const taken = { ...memory }
  Object.assign(memory, emptyMemory())
  return taken
}

export const putMemory = (taken: Memory): void => {
  Object.assign(memory, taken)
}

/** This machine does not have the memory that an execution needs. */
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
const withAllocationError = <T>(length: number, allocate: () => T): T => {
  try {
    return allocate()
  } catch (cause) {
    throw new MemoryUnavailable(`this machine cannot allocate ${length} bytes for the execution`, { cause })
  }
}

const allocate = (length: number): Uint8Array => withAllocationError(length, () => new Uint8Array(length))

/** Zeroed memory of that length. */
const allocateMemory = (length: number): Pick<Memory, 'bytes' | 'wasmMemory'> => {
  if (length <= ARRAY_BYTES_MAX) return { bytes: allocate(length), wasmMemory: undefined }
  const pages = { initial: length / PAGE_BYTES, maximum: PAGES_MAX }
  const wasmMemory = withAllocationError(length, () => new WebAssembly.Memory(pages))
  return { bytes: bytesOf(wasmMemory), wasmMemory }
}

/** Zeroed bytes of any length, for a copy outside of `memory`. */
const allocateBytes = (length: number): Uint8Array =>
  length <= ARRAY_BYTES_MAX
    ? allocate(length)
    : allocateMemory(PAGE_BYTES * Math.ceil(length / PAGE_BYTES)).bytes.subarray(0, length)

/** The bytes of a WebAssembly memory, at most MEMORY_BYTES_MAX, because some runtimes have no longer array. */
const bytesOf = ({ buffer }: WebAssembly.Memory): Uint8Array =>
  new Uint8Array(buffer, 0, Math.min(buffer.byteLength, MEMORY_BYTES_MAX))

const replaceMemory = ({ bytes, wasmMemory }: Pick<Memory, 'bytes' | 'wasmMemory'>, usedTo: number): void => {
  memory.bytes = bytes
  memory.view = new DataView(bytes.buffer, 0, bytes.length)
  memory.wasmMemory = wasmMemory
  memory.usedTo = usedTo
}

/** True when the memory has `end` bytes, possibly after growing in place. */
const hasRoom = (end: number): boolean => {
  if (end <= memory.bytes.length) return true
  const { wasmMemory } = memory
  if (wasmMemory === undefined) return false
  const more = lengthFor(end) - wasmMemory.buffer.byteLength
  withAllocationError(more, () => wasmMemory.grow(more / PAGE_BYTES))
  replaceMemory({ bytes: bytesOf(wasmMemory), wasmMemory }, memory.usedTo)
  return true
}

/** Makes the memory at least `end` bytes long, and clears the bytes from `from` to `end`. */
export const ensureMemory = (from: number, end: number): void => {
  if (!hasRoom(end)) {
    const next = allocateMemory(lengthFor(end))
    next.bytes.set(memory.bytes.subarray(0, from))
    replaceMemory(next, from)
  }
  if (from < memory.usedTo) memory.bytes.fill(0, from, Math.min(end, memory.usedTo))
  if (end > memory.usedTo) memory.usedTo = end
}

/** As `ensureMemory`, in steps, for many bytes. */
function* ensureMemorySteps(from: number, end: number): Steps<void> {
  if (!hasRoom(end)) {
    const next = allocateMemory(lengthFor(end))
    yield* copySteps(memory.bytes, 0, from, next.bytes, 0)
    replaceMemory(next, from)
  }
  for (let at = from; at < Math.min(end, memory.usedTo); at += BULK_BYTES) {
    memory.bytes.fill(0, at, Math.min(at + BULK_BYTES, end, memory.usedTo))
    yield
  }
  if (end > memory.usedTo) memory.usedTo = end
}

/** Copies bytes of one array to another array. */
function* copySteps(
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

/** Releases long memory; only between transactions. */
export const releaseMemory = (): void => {
  if (memory.wasmMemory !== undefined) Object.assign(memory, emptyMemory())
}

/** Total gas of memory of so many words (Yellow Paper, C_mem). */
export const memoryGas = (words: number): number =>
  words * WORD_GAS + Math.floor((words * words) / QUADRATIC_DIVISOR)

function* growSteps(frame: Frame, from: number, to: number): LongWork {
  yield* ensureMemorySteps(from, to)
  return frame
}

/**
 * Extends the frame's memory to hold `size` bytes at `offset`. Returns the gas left, negative when there was too little; or
 * SUSPENDED: the memory then grows as long work, and the instruction runs again with this gas already paid.
 */
export const expand = (frame: Frame, offset: number, size: number, gas: number): number => {
  if (size === 0) return gas
  const end = offset + size
  if (end <= frame.memorySize) return gas
  const words = Math.ceil(end / 32)
  const left = gas - memoryGas(words) + memoryGas(frame.memorySize / 32)
  if (left < 0) return left
  if (!(frame.memoryAt + end <= MEMORY_BYTES_MAX)) {
    // An offset above 2^53 is NaN, and no frame has the gas for it.
    if (end === end) frame.context.state.memoryMissing = true
    return -1
  }
  const from = frame.memoryAt + frame.memorySize
  frame.memorySize = 32 * words
  frame.nearSize = Math.min(frame.memorySize, NEAR_BYTES_MAX - frame.memoryAt)
  const to = frame.memoryAt + frame.memorySize
  limitMemory(frame, from, to)
  const isLarge = to - from > BULK_BYTES || (to > memory.bytes.length && from > BULK_BYTES)
  if (isLarge && mayPause()) {
    frame.gas = left
    beginWorkThenRestart(growSteps(frame, from, to))
    return SUSPENDED
  }
  ensureMemory(from, to)
  return left
}

/** Copies `size` bytes of `from`, starting at `offset`, to the offset `to` of `memory`, with zeros beyond the end. */
export const copyPadded = (from: Uint8Array, offset: number, to: number, size: number): void => {
  const available = offset < from.length ? Math.min(size, from.length - offset) : 0
  if (available > 0)
    memory.bytes.set(available === from.length ? from : from.subarray(offset, offset + available), to)
  if (available < size) memory.bytes.fill(0, to + available, to + size)
}

/** As `copyPadded`, in steps, for many bytes. */
export function* copyPaddedSteps(from: Uint8Array, offset: number, to: number, size: number): Steps<void> {
  for (let at = 0; at < size; at += BULK_BYTES) {
    copyPadded(from, offset + at, to + at, Math.min(BULK_BYTES, size - at))
    yield
  }
}

/** A copy of `size` bytes of the frame's memory; for zero bytes the offset may be any. */
export const copyOfMemory = (frame: Frame, offset: number, size: number): Uint8Array =>
  size === 0 ? EMPTY : memory.bytes.slice(frame.memoryAt + offset, frame.memoryAt + offset + size)

/** As `copyOfMemory`, in steps, for many bytes: `size` bytes at the offset `at` of `memory`. */
export function* copyOfMemorySteps(at: number, size: number): Steps<Uint8Array> {
  const copy = allocateBytes(size)
  for (let done = 0; done < size; done += BULK_BYTES) {
    copy.set(memory.bytes.subarray(at + done, at + Math.min(done + BULK_BYTES, size)), done)
    yield
  }
  return copy
}

const EMPTY = new Uint8Array(0)

/** A copy of any part of the frame's memory, with zeros beyond its end. For tracers. */
export const memoryOf = (frame: Frame, offset: number, size: number): Uint8Array => {
  const bytes = new Uint8Array(size)
  const available = Math.min(size, Math.max(0, frame.memorySize - offset))
  const at = frame.memoryAt + offset
  if (available > 0) bytes.set(memory.bytes.subarray(at, at + available))
  return bytes
}
