import type { Frame } from './frame.ts'
import { watchMemory } from './watch.ts'

/** Gas of one 32-byte word, linear part (Yellow Paper, G_memory). */
const WORD_GAS = 3
const QUADRATIC_DIVISOR = 512
/**
 * The memory of all frames ends here, as if the gas for more could not be there: half of it alone costs 2,200,000,000,000
 * gas. Places below fit a 32-bit integer, in which the interpreter computes them.
 */
const BYTES_MAX = 2 ** 31 - 32
const BYTES_FIRST = 64 * 1024
/** A buffer that grew beyond this is given back after the transaction. */
const BYTES_KEPT = 16 * 1024 * 1024

/**
 * The memory of all frames, one behind the other, beginning with the input of the first. A child's memory begins where its
 * parent's ends, which cannot grow while the child runs; so a child reads its input where the parent has it.
 */
export const memory = { bytes: new Uint8Array(BYTES_FIRST), view: new DataView(new ArrayBuffer(0)) }
memory.view = new DataView(memory.bytes.buffer)

/** Makes room for `end` bytes in all. */
export const reserve = (end: number): void => {
  if (end <= memory.bytes.length) return
  let length = memory.bytes.length
  while (length < end) length *= 2
  const bytes = new Uint8Array(length)
  bytes.set(memory.bytes)
  memory.bytes = bytes
  memory.view = new DataView(bytes.buffer)
}

/** Gives a very large buffer back; only between transactions. */
export const releaseMemory = (): void => {
  if (memory.bytes.length <= BYTES_KEPT) return
  memory.bytes = new Uint8Array(BYTES_FIRST)
  memory.view = new DataView(memory.bytes.buffer)
}

/** Gas of memory of so many words, all of it (Yellow Paper, C_mem). */
export const memoryGas = (words: number): number =>
  words * WORD_GAS + Math.floor((words * words) / QUADRATIC_DIVISOR)

/** Extends the frame's memory to hold `size` bytes at `offset`. Gives the gas left, negative when it was too little. */
export const expand = (frame: Frame, offset: number, size: number, gas: number): number => {
  if (size === 0) return gas
  const end = offset + size
  if (end <= frame.memorySize) return gas
  if (!(frame.memoryAt + end <= BYTES_MAX)) return -1
  const words = Math.ceil(end / 32)
  const left = gas - memoryGas(words) + memoryGas(frame.memorySize / 32)
  if (left < 0) return left
  const from = frame.memoryAt + frame.memorySize
  frame.memorySize = 32 * words
  const to = frame.memoryAt + frame.memorySize
  watchMemory(from, to)
  reserve(to)
  memory.bytes.fill(0, from, to)
  return left
}

/** Copies `size` bytes of `from`, starting at `offset`, to the absolute place `to`, with zeros beyond the end. */
export const copyPadded = (from: Uint8Array, offset: number, to: number, size: number): void => {
  const there = offset < from.length ? Math.min(size, from.length - offset) : 0
  if (there > 0) memory.bytes.set(there === from.length ? from : from.subarray(offset, offset + there), to)
  if (there < size) memory.bytes.fill(0, to + there, to + size)
}

/** A copy of the frame's memory; empty for no bytes, wherever they are. */
export const copyOfMemory = (frame: Frame, offset: number, size: number): Uint8Array =>
  size === 0 ? EMPTY : memory.bytes.slice(frame.memoryAt + offset, frame.memoryAt + offset + size)

const EMPTY = new Uint8Array(0)

/** A copy of any part of the frame's memory as it would read: zeros where it does not reach yet. For tracers. */
export const memoryOf = (frame: Frame, offset: number, size: number): Uint8Array => {
  const bytes = new Uint8Array(size)
  const there = Math.min(size, Math.max(0, frame.memorySize - offset))
  const at = frame.memoryAt + offset
  if (there > 0) bytes.set(memory.bytes.subarray(at, at + there))
  return bytes
}
