const SHORT_LENGTH_MAX = 55

/** Bytes of the length behind the first byte of a list or string whose content is so long. */
const lengthBytesOf = (length: number): number => {
  let bytes = 0
  if (length > SHORT_LENGTH_MAX) for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes++
  return bytes
}

/** How long a list, or a string of more than a byte, is in RLP whose content is so long. */
export const encodedLength = (length: number): number => 1 + lengthBytesOf(length) + length

/** What the first byte of a string of more than a byte, and of a list, counts from. */
export const STRING_HEAD = 0x80
export const LIST_HEAD = 0xc0

/** Puts what stands before a content that is so long, and gives where that content begins. */
export const putRlpHead = (
  bytes: Uint8Array,
  at: number,
  head: typeof STRING_HEAD | typeof LIST_HEAD,
  length: number,
): number => {
  const lengthBytes = lengthBytesOf(length)
  bytes[at] = lengthBytes === 0 ? head + length : head + SHORT_LENGTH_MAX + lengthBytes
  for (let i = at + lengthBytes, rest = length; i > at; i--, rest = Math.floor(rest / 256))
    bytes[i] = rest % 256
  return at + 1 + lengthBytes
}

/**
 * The RLP list of items that are already encoded, each in as many pieces as it likes, as pieces itself: lists within lists are
 * then copied together once, where they are all there.
 */
export const rlpListPieces = (pieces: readonly Uint8Array[]): readonly Uint8Array[] => {
  let length = 0
  for (const piece of pieces) length += piece.length
  const head = new Uint8Array(encodedLength(length) - length)
  putRlpHead(head, 0, LIST_HEAD, length)
  return [head, ...pieces]
}

/** The RLP list of items that are already encoded, or of their pieces, each copied once. */
export const joinRlpList = (encodedItems: readonly Uint8Array[]): Uint8Array => {
  let length = 0
  for (const item of encodedItems) length += item.length
  const bytes = new Uint8Array(encodedLength(length))
  let at = putRlpHead(bytes, 0, LIST_HEAD, length)
  for (const item of encodedItems) {
    bytes.set(item, at)
    at += item.length
  }
  return bytes
}
