import { secp256k1 } from '@noble/curves/secp256k1.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { concatBytes } from '../bytes/bytes.ts'
import { type CryptoEngine, isRecoverable } from './engine.ts'
import { hashParts } from './hashParts.ts'

/** The reference engine: portable, audited JavaScript; the fallback if WebAssembly cannot be compiled. */
export const nobleEngine: CryptoEngine = {
  name: 'noble',
  keccak256: bytes => keccak_256(bytes),
  ...hashParts(keccak_256),
  createKeccak256: () => {
    const state = keccak_256.create()
    return { update: bytes => void state.update(bytes), digest: () => state.clone().digest() }
  },
  sign: (hash, privateKey) => {
    const bytes = secp256k1.sign(hash, privateKey, { prehash: false, format: 'recovered' })
    return { yParity: bytes[0] as number, r: bytes.slice(1, 33), s: bytes.slice(33, 65) }
  },
  recoverPublicKey: (hash, signature) => {
    if (!isRecoverable(hash, signature)) return undefined
    const { r, s, yParity } = signature
    try {
      const recoverable = secp256k1.Signature.fromBytes(concatBytes(r, s), 'compact').addRecoveryBit(yParity)
      return recoverable.recoverPublicKey(hash).toBytes(false).slice(1)
    } catch {
      // noble throws if no key can be recovered; this interface returns undefined.
      return undefined
    }
  },
  publicKey: privateKey => secp256k1.getPublicKey(privateKey, false).slice(1),
}
