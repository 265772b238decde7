/** Bytes written at once: every key, hash and address fits. */
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
 * Lower-case hex digits for runtimes without `Uint8Array.prototype.toHex` (Node 24). Decodes the digits instead of
 * concatenating them: a concatenated string stays a tree of its parts, 1 KB for the key of a hash, which the garbage
 * collector traverses.
 */
export const hexDigits = (bytes: Uint8Array): string => {
  if (bytes.length <= CHUNK_LENGTH) return chunkDigits(bytes)
  const chunks: string[] = []
  for (let at = 0; at < bytes.length; at += CHUNK_LENGTH) {
    chunks.push(chunkDigits(bytes.subarray(at, at + CHUNK_LENGTH)))
  }
  return chunks.join('')
}
