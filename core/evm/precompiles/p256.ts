import { p256 } from '@noble/curves/nist.js'
import { EMPTY_BYTES } from '../../bytes/bytes.ts'
import { trueWord } from './input.ts'
import type { Precompile } from './precompile.ts'

const INPUT_LENGTH = 160
const OPTIONS = { prehash: false, lowS: false, format: 'compact' } as const

const verifies = (input: Uint8Array): boolean => {
  const publicKey = new Uint8Array(65)
  publicKey[0] = 4
  publicKey.set(input.subarray(96), 1)
  try {
    return p256.verify(input.subarray(32, 96), input.subarray(0, 32), publicKey, OPTIONS)
  } catch {
    // noble throws on a key that is not a point of the curve; the signature is then invalid.
    return false
  }
}

/** EIP-7951: for hash, r, s and the key's x and y, the word 1 when the secp256r1 signature is valid, otherwise no bytes. */
export const P256VERIFY: Precompile = {
  name: 'P256VERIFY',
  gas: () => 6900,
  run: input => (input.length === INPUT_LENGTH && verifies(input) ? trueWord() : EMPTY_BYTES),
}
