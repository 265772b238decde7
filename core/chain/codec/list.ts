const SHORT_LENGTH_MAX = 55

/** Bytes of the length behind the first byte of a list or string whose content is so long. */
const lengthBytesOf = (length: number): number => {
  let bytes = 0
  if (length > SHORT_LENGTH_MAX) for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes++
  return bytes
}

/** How long a list, or a string of more than a byte, is in RLP whose content is so long. */
export const encodedLength = (length: number): number => 1 + lengthBytesOf(length) + length

/** The RLP list of items that are already encoded, each copied once. */
export const joinRlpList = (encodedItems: readonly Uint8Array[]): Uint8Array => {
  let length = 0
  for (const item of encodedItems) length += item.length
  const lengthBytes = lengthBytesOf(length)
  const bytes = new Uint8Array(1 + lengthBytes + length)
  bytes[0] = lengthBytes === 0 ? 0xc0 + length : 0xf7 + lengthBytes
  for (let i = lengthBytes, rest = length; i > 0; i--, rest = Math.floor(rest / 256)) bytes[i] = rest % 256
  let offset = 1 + lengthBytes
  for (const item of encodedItems) {
    bytes.set(item, offset)
    offset += item.length
  }
  return bytes
}
