/** Base of the first byte of a string of several bytes, and of a list. */
export const STRING_HEAD = 0x80
export const LIST_HEAD = 0xc0

export const SHORT_LENGTH_MAX = 55

/** Number of bytes of a length above SHORT_LENGTH_MAX; no item in memory is longer than 4 GiB. */
const lengthBytes = (length: number): number =>
  length < 256 ? 1 : length < 65_536 ? 2 : length < 16_777_216 ? 3 : 4

/** Encoded length of a list, or of a string of several bytes, by the length of its content. */
export const encodedLength = (length: number): number =>
  length <= SHORT_LENGTH_MAX ? 1 + length : 1 + lengthBytes(length) + length

/** Encoded length of a string of that length; `first` is its first byte. */
export const stringLength = (length: number, first: number | undefined): number =>
  length === 1 && (first as number) < STRING_HEAD ? 1 : encodedLength(length)

/** Writes the header before a content of that length, and returns where the content starts. */
export const writeHead = (
  out: Uint8Array,
  at: number,
  head: typeof STRING_HEAD | typeof LIST_HEAD,
  length: number,
): number => {
  if (length <= SHORT_LENGTH_MAX) {
    out[at] = head + length
    return at + 1
  }
  const size = lengthBytes(length)
  out[at] = head + SHORT_LENGTH_MAX + size
  for (let i = size, rest = length; i > 0; i--, rest >>>= 8) out[at + i] = rest & 255
  return at + 1 + size
}

/** Writes a string and returns its end. */
export const writeString = (out: Uint8Array, at: number, bytes: Uint8Array): number => {
  const length = bytes.length
  if (length === 1 && (bytes[0] as number) < STRING_HEAD) {
    out[at] = bytes[0] as number
    return at + 1
  }
  const start = writeHead(out, at, STRING_HEAD, length)
  out.set(bytes, start)
  return start + length
}
