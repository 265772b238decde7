/** Copies reach back at most this far: the input is compressed in pieces of this size. */
const FRAGMENT_BYTES = 65_536
/** Entries of the table of earlier positions; a power of two. */
const TABLE_BITS = 14
const MATCH_MIN = 4
/** Longest copy of one element. */
const COPY_MAX = 64
/** The step between positions that are tried grows by one after every so many without a match: such bytes are not compressible. */
const MISSES_PER_STEP = 32

type Output = { readonly bytes: Uint8Array; length: number }

/** Largest length of the result: literals have a length of at most 5 bytes for each fragment. */
const compressedLengthMax = (length: number): number =>
  5 + length + 5 * Math.ceil(length / FRAGMENT_BYTES) + Math.ceil(length / 6)

const writeVarint = (output: Output, value: number): void => {
  let rest = value
  while (rest >= 0x80) {
    output.bytes[output.length++] = (rest & 0x7f) | 0x80
    rest = Math.floor(rest / 128)
  }
  output.bytes[output.length++] = rest
}

const writeLiteral = (output: Output, literal: Uint8Array): void => {
  const { bytes } = output
  const size = literal.length - 1
  if (literal.length === 0) return
  if (size < 60) bytes[output.length++] = size << 2
  else if (size < 256) {
    bytes[output.length++] = 60 << 2
    bytes[output.length++] = size
  } else {
    bytes[output.length++] = 61 << 2
    bytes[output.length++] = size & 255
    bytes[output.length++] = size >> 8
  }
  bytes.set(literal, output.length)
  output.length += literal.length
}

const writeCopy = (output: Output, offset: number, length: number): void => {
  for (let rest = length; rest > 0; rest -= COPY_MAX) {
    output.bytes[output.length++] = ((Math.min(rest, COPY_MAX) - 1) << 2) | 2
    output.bytes[output.length++] = offset & 255
    output.bytes[output.length++] = offset >> 8
  }
}

const word = (bytes: Uint8Array, at: number): number =>
  (bytes[at] as number) |
  ((bytes[at + 1] as number) << 8) |
  ((bytes[at + 2] as number) << 16) |
  ((bytes[at + 3] as number) << 24)

/** Latest position of each word's hash in a fragment; nothing runs in between that could use it, too. */
const table = new Uint16Array(2 ** TABLE_BITS)

const compressFragment = (output: Output, input: Uint8Array): void => {
  table.fill(0)
  const end = input.length - MATCH_MIN
  let literalAt = 0
  let misses = 0
  let at = 1
  while (at <= end) {
    const current = word(input, at)
    const slot = Math.imul(current, 0x1e35a7bd) >>> (32 - TABLE_BITS)
    const candidate = table[slot] as number
    table[slot] = at
    if (word(input, candidate) !== current) {
      at += 1 + Math.floor(misses++ / MISSES_PER_STEP)
      continue
    }
    let length = MATCH_MIN
    while (at + length < input.length && input[candidate + length] === input[at + length]) length++
    writeLiteral(output, input.subarray(literalAt, at))
    writeCopy(output, at - candidate, length)
    at += length
    literalAt = at
    misses = 0
  }
  writeLiteral(output, input.subarray(literalAt))
}

/**
 * One block of Snappy's format. The codec is our own, in some 150 lines: the library in plain JavaScript accepts blocks that
 * end early, the others need a native addon or cannot limit what they inflate.
 */
export const compressSnappy = (input: Uint8Array): Uint8Array => {
  const output: Output = { bytes: new Uint8Array(compressedLengthMax(input.length)), length: 0 }
  writeVarint(output, input.length)
  for (let at = 0; at < input.length; at += FRAGMENT_BYTES)
    compressFragment(output, input.subarray(at, at + FRAGMENT_BYTES))
  return output.bytes.slice(0, output.length)
}
