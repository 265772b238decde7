/*
 * The arrays of window programs. A run through 16 MB of code decodes 8,000 windows, which take 400 MB: arrays of windows that
 * nobody runs any more are used again, because a collector lets its heap double before it frees them.
 */

/** Words of the shortest array; each class is twice as long as the one before. */
const LENGTH_MIN = 2048

/** Memory of the arrays that wait for their next use. */
const FREE_BYTES_MAX = 4 * 1024 * 1024

const BYTES_PER_WORD = 4

/** By the length of their buffer, in words. */
const free = new Map<number, Int32Array[]>()
let freeBytes = 0

const classOf = (length: number): number => {
  let size = LENGTH_MIN
  while (size < length) size *= 2
  return size
}

/** An array of this length with unspecified content. */
export const takeWords = (length: number): Int32Array => {
  const size = classOf(length)
  const found = free.get(size)?.pop()
  if (found === undefined) return new Int32Array(size).subarray(0, length)
  freeBytes -= BYTES_PER_WORD * size
  return new Int32Array(found.buffer, 0, length)
}

/** Returns an unused array to the pool of `takeWords`. */
export const freeWords = (words: Int32Array): void => {
  const bytes = words.buffer.byteLength
  if (freeBytes + bytes > FREE_BYTES_MAX) return
  const size = bytes / BYTES_PER_WORD
  const list = free.get(size)
  if (list === undefined) free.set(size, [words])
  else list.push(words)
  freeBytes += bytes
}
