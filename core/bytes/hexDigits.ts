/** Bytes written at a time: every key, hash and address in one piece. */
const CHUNK_LENGTH = 4096

const DIGITS = new TextEncoder().encode('0123456789abcdef')

const latin1 = new TextDecoder('latin1')

const codes = new Uint8Array(2 * CHUNK_LENGTH)

const chunkDigits = (bytes: Uint8Array): string => {
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] as number
    codes[2 * i] = DIGITS[byte >> 4] as number
    codes[2 * i + 1] = DIGITS[byte & 15] as number
  }
  return latin1.decode(codes.subarray(0, 2 * bytes.length))
}

/**
 * Lower-case hex digits where the runtime has no `Uint8Array.prototype.toHex` (Node 24). Decoded, not put together
 * digit by digit: such a string stays a tree of its parts for as long as it is held, 1 KB for the key of a hash, and
 * the collector walks all of them.
 */
export const hexDigits = (bytes: Uint8Array): string => {
  if (bytes.length <= CHUNK_LENGTH) return chunkDigits(bytes)
  const chunks: string[] = []
  for (let at = 0; at < bytes.length; at += CHUNK_LENGTH) {
    chunks.push(chunkDigits(bytes.subarray(at, at + CHUNK_LENGTH)))
  }
  return chunks.join('')
}
