import { toBareHex, toHex } from '../../../core/bytes/hex.ts'
import { jsonPieces, type JsonPieces, type KeptBytes } from './jsonPieces.ts'

/** Shorter bytes are written as one string. */
const PLAIN_BYTES_MAX = 64 * 1024

const encoder = new TextEncoder()

/** The digits of these bytes, written when they are sent. */
const hexOf = (bytes: Uint8Array): KeptBytes => ({
  byteLength: 2 * bytes.length,
  bytes: () => encoder.encode(toBareHex(bytes)),
})

/**
 * Bytes as a JSON string of hex digits. Those of long bytes, such as the code of a contract of 16 MB, are never there as a
 * whole: that would be 32 MB for each response. The bytes must not change until the response is sent.
 */
export const hexPieces = (bytes: Uint8Array): string | JsonPieces => {
  if (bytes.length <= PLAIN_BYTES_MAX) return toHex(bytes)
  const parts: KeptBytes[] = []
  for (let at = 0; at < bytes.length; at += PLAIN_BYTES_MAX)
    parts.push(hexOf(bytes.subarray(at, at + PLAIN_BYTES_MAX)))
  return jsonPieces(['"0x', ...parts, '"'])
}
