import { encodedLength, LIST_HEAD, writeHead } from './write.ts'

/**
 * The RLP list of items that are already encoded, each in as many pieces as it likes, as pieces itself: lists within lists are
 * then copied together once, where they are all there.
 */
export const rlpListPieces = (pieces: readonly Uint8Array[]): readonly Uint8Array[] => {
  let length = 0
  for (const piece of pieces) length += piece.length
  const head = new Uint8Array(encodedLength(length) - length)
  writeHead(head, 0, LIST_HEAD, length)
  return [head, ...pieces]
}

/** The RLP list of items that are already encoded, or of their pieces, each copied once. */
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
