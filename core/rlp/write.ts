/** What the first byte of a string of more than a byte, and of a list, counts from. */
export const STRING_HEAD = 0x80
export const LIST_HEAD = 0xc0

const SHORT_LENGTH_MAX = 55

/** Bytes of a length that stands in bytes of its own; what is in memory is shorter than 4 GiB. */
const lengthBytes = (length: number): number =>
  length < 256 ? 1 : length < 65_536 ? 2 : length < 16_777_216 ? 3 : 4

/** How long a list, or a string of more than a byte, is in RLP whose content is so long. */
export const encodedLength = (length: number): number =>
  length <= SHORT_LENGTH_MAX ? 1 + length : 1 + lengthBytes(length) + length

/** How long a string of that length is in RLP; `first` is its first byte. */
export const stringLength = (length: number, first: number | undefined): number =>
  length === 1 && (first as number) < STRING_HEAD ? 1 : encodedLength(length)

/** Writes what stands before a content that is so long, and gives where that content begins. */
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

/** Writes a string, and gives where it ends. */
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
