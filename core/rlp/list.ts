import { encodedLength, LIST_HEAD, writeHead } from './write.ts'

/** RLP of an empty byte string, and of an empty list. */
export const EMPTY_STRING = Uint8Array.of(0x80)
export const EMPTY_LIST = Uint8Array.of(0xc0)

/** The RLP list of encoded items. Takes and returns pieces, so that nested lists are concatenated only once. */
export const rlpListPieces = (pieces: readonly Uint8Array[]): readonly Uint8Array[] => {
  let length = 0
  for (const piece of pieces) length += piece.length
  const head = new Uint8Array(encodedLength(length) - length)
  writeHead(head, 0, LIST_HEAD, length)
  return [head, ...pieces]
}

/** The RLP list of encoded items or of their pieces, each copied once. */
export const joinRlpList = (encodedItems: readonly Uint8Array[]): Uint8Array => {
  let length = 0
  for (const item of encodedItems) length += item.length
  const bytes = new Uint8Array(encodedLength(length))
  let at = writeHead(bytes, 0, LIST_HEAD, length)
  for (const item of encodedItems) {
    bytes.set(item, at)
    at += item.length
  }
  return bytes
}
