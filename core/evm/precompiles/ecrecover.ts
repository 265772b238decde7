import { EMPTY_BYTES, padStartBytes } from '../../bytes/bytes.ts'
import { recoverAddress } from '../../crypto/crypto.ts'
import { inputRange } from './input.ts'
import type { Precompile } from './precompile.ts'

/** The parity of v, a 32-byte word with the value 27 or 28; undefined for any other value. */
const parityOf = (word: Uint8Array): number | undefined => {
  for (let i = 0; i < 31; i++) if (word[i] !== 0) return undefined
  const v = word[31] as number
  return v === 27 || v === 28 ? v - 27 : undefined
}

/** Yellow Paper appendix E: the signer of hash, v, r and s, or no bytes if there is no signer. High s is accepted. */
export const ECRECOVER: Precompile = {
  name: 'ECREC',
  gas: () => 3000,
  run: input => {
    const data = inputRange(input, 0, 128)
    const yParity = parityOf(data.subarray(32, 64))
    if (yParity === undefined) return EMPTY_BYTES
    const signature = { r: data.subarray(64, 96), s: data.subarray(96, 128), yParity }
    const address = recoverAddress(data.subarray(0, 32), signature)
    return address === undefined ? EMPTY_BYTES : padStartBytes(address, 32)
  },
}
