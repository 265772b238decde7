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
  let at = start
  let written = 0
  while (at < bytes.length) {
    const tag = bytes[at++] as number
    const kind = tag & 3
    if (kind === 0) {
      let size = tag >> 2
      if (size >= SHORT_LITERAL_MAX) {
        const sizeBytes = size - SHORT_LITERAL_MAX + 1
        size = readNumber(bytes, at, sizeBytes)
        at += sizeBytes
      }
      size++
      if (at + size > bytes.length || written + size > length)
        throw new SnappyError('a literal exceeds its block')
      output.set(bytes.subarray(at, at + size), written)
      at += size
      written += size
      continue
    }
    const offsetBytes = kind === 1 ? 1 : kind === 2 ? 2 : 4
    const low = readNumber(bytes, at, offsetBytes)
    const size = kind === 1 ? 4 + ((tag >> 2) & 7) : 1 + (tag >> 2)
    const offset = kind === 1 ? (tag >> 5) * 256 + low : low
    at += offsetBytes
    if (at > bytes.length || offset === 0 || offset > written || written + size > length)
      throw new SnappyError('a copy exceeds its block')
    copyWithin(output, written - offset, written, size)
    written += size
  }
  if (written !== length) throw new SnappyError(`a block inflates to ${written} bytes, not to ${length}`)
  return output
}
