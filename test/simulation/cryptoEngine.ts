import { concatBytes, equalBytes } from '../../core/bytes/bytes.ts'
import { type CryptoEngine, isRecoverable, type Signature } from '../../core/crypto/engine.ts'
import { hashParts } from '../../core/crypto/hashParts.ts'

/** Below half the order of secp256k1, and so of a low s. */
const LOW_BITS = 0x3f

/** keccak with the highest bits cleared, so that it lies within the range of r and of a low s. */
const inRange = (hash: Uint8Array): Uint8Array => {
  const value = hash.slice()
  value[0] = (value[0] as number) & LOW_BITS
  value[31] = (value[31] as number) | 1
  return value
}

/**
 * Signatures that cost microseconds, for simulations in which nobody forges any: r is the signer's id, s a keccak over
 * digest and id. Whoever changes a byte of either gets a signature of nobody. Hashing is `keccak`'s.
 */
export const simulationEngine = (keccak: CryptoEngine['keccak256']): CryptoEngine => {
  const idOf = (privateKey: Uint8Array): Uint8Array => inRange(keccak(privateKey))
  const seal = (hash: Uint8Array, id: Uint8Array): Uint8Array => inRange(keccak(concatBytes(hash, id)))
  const sign = (hash: Uint8Array, privateKey: Uint8Array): Signature => {
    const r = idOf(privateKey)
    return { r, s: seal(hash, r), yParity: 0 }
  }
  return {
    name: 'simulation',
    keccak256: keccak,
    ...hashParts(keccak),
    createKeccak256: () => {
      const pieces: Uint8Array[] = []
      return { update: bytes => void pieces.push(bytes), digest: () => keccak(concatBytes(...pieces)) }
    },
    sign,
    recoverPublicKey: (hash, signature) => {
      if (!isRecoverable(hash, signature) || signature.yParity !== 0) return undefined
      const { r, s } = signature
      return equalBytes(s, seal(hash, r)) ? concatBytes(r, r) : undefined
    },
    publicKey: privateKey => {
      const id = idOf(privateKey)
      return concatBytes(id, id)
    },
  }
}
