import { SnappyError } from './error.ts'

/** The claimed length is a varint of 32 bits. */
const LENGTH_BYTES_MAX = 5
/** A copy of 64 bytes has 3: no block inflates to more than this many times its length. */
const RATIO_MAX = 64 / 2
/** Literals of more bytes have their length in the 1 to 4 bytes that follow. */
const SHORT_LITERAL_MAX = 60

/** The claimed length of the inflated bytes, and where the elements start. @throws SnappyError */
const readLength = (bytes: Uint8Array): { readonly length: number; readonly start: number } => {
  let length = 0
  for (let at = 0; at < LENGTH_BYTES_MAX; at++) {
    const byte = bytes[at]
    if (byte === undefined) break
    length += (byte & 0x7f) * 2 ** (7 * at)
    if (byte < 0x80) return { length, start: at + 1 }
  }
  throw new SnappyError('a compressed block has no length')
}

/** A little-endian number of `size` bytes; bytes beyond the end count as 0, and the caller's bounds refuse what follows. */
const readNumber = (bytes: Uint8Array, at: number, size: number): number => {
  let value = 0
  for (let i = size - 1; i >= 0; i--) value = value * 256 + (bytes[at + i] ?? 0)
  return value
}

/** Copies within the output: the source may overlap what is written, and then repeats. */
const copyWithin = (output: Uint8Array, from: number, to: number, length: number): void => {
  if (to - from >= length) output.copyWithin(to, from, from + length)
  else for (let i = 0; i < length; i++) output[to + i] = output[from + i] as number
}

/** The tag of an element: its size, and how far back a copy begins; undefined for a literal. */
type Element = { readonly size: number; readonly offset: number | undefined; readonly next: number }

const readElement = (bytes: Uint8Array, at: number): Element => {
  const tag = bytes[at] as number
  const kind = tag & 3
  if (kind === 0) {
    const short = tag >> 2
    if (short < SHORT_LITERAL_MAX) return { size: short + 1, offset: undefined, next: at + 1 }
    const sizeBytes = short - SHORT_LITERAL_MAX + 1
    return { size: readNumber(bytes, at + 1, sizeBytes) + 1, offset: undefined, next: at + 1 + sizeBytes }
  }
  const offsetBytes = kind === 1 ? 1 : kind === 2 ? 2 : 4
  const low = readNumber(bytes, at + 1, offsetBytes)
  const size = kind === 1 ? 4 + ((tag >> 2) & 7) : 1 + (tag >> 2)
  return { size, offset: kind === 1 ? (tag >> 5) * 256 + low : low, next: at + 1 + offsetBytes }
}

/** Inflates until the output is full. @returns where it ended in the block @throws SnappyError */
const fill = (bytes: Uint8Array, start: number, length: number, output: Uint8Array): number => {
  let at = start
  let written = 0
  while (at < bytes.length && written < output.length) {
    const { size, offset, next } = readElement(bytes, at)
    // What exceeds an output that is only the start of the block is left out.
    const taken = Math.min(size, output.length - written)
    if (offset === undefined) {
      if (next + size > bytes.length || written + size > length)
        throw new SnappyError('a literal exceeds its block')
      output.set(bytes.subarray(next, next + taken), written)
      at = next + size
    } else {
      if (next > bytes.length || offset === 0 || offset > written || written + size > length)
        throw new SnappyError('a copy exceeds its block')
      copyWithin(output, written - offset, written, taken)
      at = next
    }
    written += taken
  }
  if (written !== output.length)
    throw new SnappyError(`a block inflates to ${written} bytes, not to ${output.length}`)
  return at
}

/** What a block says that it inflates to. @throws SnappyError */
export const inflatedLength = (bytes: Uint8Array): number => readLength(bytes).length

/** The first bytes that a block inflates to, at most `count`; nothing else is inflated. @throws SnappyError */
export const inflateStart = (bytes: Uint8Array, count: number): Uint8Array => {
  const { length, start } = readLength(bytes)
  const output = new Uint8Array(Math.min(count, length))
  fill(bytes, start, length, output)
  return output
}

/**
 * Inflates one block of Snappy's format (no framing, no checksum). The claimed length is checked against `bytesMax`, and
 * against what so many bytes can inflate to, before anything is allocated.
 * @throws SnappyError when the block is malformed, or inflates to another length than it claims
 */
export const decompressSnappy = (bytes: Uint8Array, bytesMax: number): Uint8Array => {
  const { length, start } = readLength(bytes)
  if (length > bytesMax)
    throw new SnappyError(`a block inflates to ${length} bytes, of ${bytesMax} at most`, 'OVERSIZED')
  if (length > bytes.length * RATIO_MAX) throw new SnappyError('a block claims more than it can inflate to')
  const output = new Uint8Array(length)
  if (fill(bytes, start, length, output) < bytes.length)
    throw new SnappyError('a block inflates to more than it claims')
  return output
}
