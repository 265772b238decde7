import { HASH_BYTES } from './poolLists.ts'
import { concatBytes, type Hash } from '../../core/bytes/bytes.ts'

export const joinHashes = (hashes: readonly Hash[]): Uint8Array => concatBytes(...hashes)

/** Splits joined hashes; an incomplete one at the end is ignored. */
export const splitHashes = (joined: Uint8Array): readonly Hash[] =>
  Array.from({ length: Math.floor(joined.length / HASH_BYTES) }, (_, index) =>
    joined.subarray(index * HASH_BYTES, (index + 1) * HASH_BYTES),
  )
