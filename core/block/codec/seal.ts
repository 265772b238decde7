import type { Address, Hash } from '../../bytes/bytes.ts'
import { bigintToFixedBytes } from '../../bytes/integer.ts'
import { recoverAddress } from '../../crypto/crypto.ts'
import type { Signature } from '../../crypto/engine.ts'
import { SECP256K1_ORDER, signatureFromBytes65, signatureToBytes65 } from '../../crypto/recovery.ts'
import { RlpError } from '../../rlp/rlp.ts'

/** A signature in QBFT's form: 65 bytes with r, s and the y parity (0 or 1). */
export type Seal = Uint8Array

const ORDER = bigintToFixedBytes(SECP256K1_ORDER, 32)

/** True for 32 bytes that are a number from 1 to the order less one. */
const inRange = (half: Uint8Array): boolean => {
  let at = 0
  while (at < 32 && half[at] === ORDER[at]) at++
  return at < 32 && (half[at] as number) < (ORDER[at] as number) && half.some(byte => byte !== 0)
}

/** Returns the seal if r and s are in [1, order) and the parity is 0 or 1; a high s is accepted. @throws RlpError */
export const assertSeal = (seal: Seal): Seal => {
  if (!inRange(seal.subarray(0, 32)) || !inRange(seal.subarray(32, 64)))
    throw new RlpError('r and s of a seal must lie between 1 and the order of the curve')
  if ((seal[64] as number) > 1) throw new RlpError(`the parity of a seal must be 0 or 1, not ${seal[64]}`)
  return seal
}

/** The seal of a signature over `qbftSealHash`. */
export const sealOfSignature = (signature: Signature): Seal => signatureToBytes65(signature)

/** The signer of a seal over the digest (`qbftSealHash`); undefined when none can be recovered. */
export const sealSigner = (digest: Hash, seal: Seal): Address | undefined => {
  const signature = signatureFromBytes65(seal)
  return signature === undefined ? undefined : recoverAddress(digest, signature)
}
