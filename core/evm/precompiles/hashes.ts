import { ripemd160 } from '@noble/hashes/legacy.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { padStartBytes } from '../../bytes/bytes.ts'
import { wordCount } from './input.ts'
import type { Steps } from '../../steps.ts'
import type { Precompile } from './precompile.ts'

/** Bytes hashed between two yields: about a millisecond. */
const HASHED_AT_ONCE_BYTES = 64 * 1024

type Hash = { update(bytes: Uint8Array): unknown; digest(): Uint8Array }

function* hashSteps(hash: Hash, input: Uint8Array): Steps<Uint8Array> {
  for (let at = 0; at < input.length; at += HASHED_AT_ONCE_BYTES) {
    hash.update(input.subarray(at, at + HASHED_AT_ONCE_BYTES))
    yield
  }
  return hash.digest()
}

/** Yellow Paper appendix E: SHA2-256 of the input. */
export const SHA256: Precompile = {
  name: 'SHA256',
  gas: input => 60 + 12 * wordCount(input),
  run: input => sha256(input),
  steps: input => hashSteps(sha256.create(), input),
}

/** Yellow Paper appendix E: RIPEMD-160 of the input, padded on the left to 32 bytes. */
export const RIPEMD160: Precompile = {
  name: 'RIPEMD160',
  gas: input => 600 + 120 * wordCount(input),
  run: input => padStartBytes(ripemd160(input), 32),
  steps: function* (input) {
    return padStartBytes(yield* hashSteps(ripemd160.create(), input), 32)
  },
}

/** Yellow Paper appendix E: a copy of the input. */
export const IDENTITY: Precompile = {
  name: 'ID',
  gas: input => 15 + 3 * wordCount(input),
  run: input => input.slice(),
  // The input of `steps` is already a copy.
  steps: function* (input) {
    yield
    return input
  },
}
