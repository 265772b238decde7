import { ripemd160 } from '@noble/hashes/legacy.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { padStartBytes } from '../../bytes/bytes.ts'
import { wordCount } from './input.ts'
import type { Precompile } from './precompile.ts'

/** Yellow Paper appendix E: SHA2-256 of the input. */
export const SHA256: Precompile = {
  name: 'SHA256',
  gas: input => 60 + 12 * wordCount(input),
  run: input => sha256(input),
}

/** Yellow Paper appendix E: RIPEMD-160 of the input, padded on the left to 32 bytes. */
export const RIPEMD160: Precompile = {
  name: 'RIPEMD160',
  gas: input => 600 + 120 * wordCount(input),
  run: input => padStartBytes(ripemd160(input), 32),
}

/** Yellow Paper appendix E: the input again, as a copy. */
export const IDENTITY: Precompile = {
  name: 'ID',
  gas: input => 15 + 3 * wordCount(input),
  run: input => input.slice(),
}
