import { concatBytes, type Hash } from '../bytes/bytes.ts'
import type { Steps } from '../steps.ts'
import { createKeccak256, keccak256 } from './crypto.ts'

/** Bytes hashed between two yields: about half a millisecond. */
const HASHED_AT_ONCE_BYTES = 128 * 1024

/** The keccak hash of the concatenated pieces. Yields within long ones: a block may have megabytes, at 4 to 10 ms each. */
export function* keccak256Steps(...pieces: readonly Uint8Array[]): Steps<Hash> {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
  if (length <= HASHED_AT_ONCE_BYTES) {
    const [only] = pieces
    return keccak256(pieces.length === 1 && only !== undefined ? only : concatBytes(...pieces))
  }
  const state = createKeccak256()
  let sinceYield = 0
  for (const piece of pieces) {
    for (let at = 0; at < piece.length; at += HASHED_AT_ONCE_BYTES) {
      const part = piece.subarray(at, at + HASHED_AT_ONCE_BYTES)
      state.update(part)
      sinceYield += part.length
      if (sinceYield < HASHED_AT_ONCE_BYTES) continue
      sinceYield = 0
      yield
    }
  }
  return state.digest()
}
