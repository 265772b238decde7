import { createCipheriv, createDecipheriv, createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { concatBytes } from '../../../core/bytes/bytes.ts'
import { publicKeyOf } from '../../../core/crypto/crypto.ts'
import { RlpxError } from './error.ts'

/** Returns this number of random bytes. */
export type Random = (bytes: number) => Uint8Array

const KEY_BYTES = 64
const IV_BYTES = 16
const TAG_BYTES = 32
/** First byte of an uncompressed point. */
const UNCOMPRESSED = 4
const IV_AT = 1 + KEY_BYTES
const CIPHERTEXT_AT = IV_AT + IV_BYTES

/** Bytes that encryption adds to a message. */
export const ECIES_OVERHEAD_BYTES = CIPHERTEXT_AT + TAG_BYTES

/**
 * The 32-byte x coordinate of the shared point of a private key and a 64-byte public key. noble computes it: the crypto of
 * Bun has no secp256k1.
 * @throws RlpxError when the public key is not a point of the curve
 */
export const sharedSecret = (privateKey: Uint8Array, publicKey: Uint8Array): Uint8Array => {
  try {
    const point = concatBytes(Uint8Array.of(UNCOMPRESSED), publicKey)
    return secp256k1.getSharedSecret(privateKey, point, true).slice(1)
  } catch (cause) {
    throw new RlpxError('the handshake failed', { cause })
  }
}

const sha256 = (bytes: Uint8Array): Uint8Array => createHash('sha256').update(bytes).digest()

/** The one block of NIST SP 800-56A's concatenation KDF that the two keys need. */
const keysOf = (secret: Uint8Array): { readonly cipherKey: Uint8Array; readonly macKey: Uint8Array } => {
  const derived = sha256(concatBytes(Uint8Array.of(0, 0, 0, 1), secret))
  return { cipherKey: derived.subarray(0, 16), macKey: sha256(derived.subarray(16)) }
}

const tagOf = (macKey: Uint8Array, ...parts: readonly Uint8Array[]): Uint8Array => {
  const mac = createHmac('sha256', macKey)
  for (const part of parts) mac.update(part)
  return mac.digest()
}

/**
 * Encrypts a message for the holder of the 64-byte public key: `04 || ephemeral key (64) || iv (16) || ciphertext || tag (32)`,
 * with secp256k1, AES-128-CTR and HMAC-SHA-256 (rlpx.md, "ECIES Encryption"). `shared` is authenticated, not encrypted.
 */
export const encryptEcies = (
  publicKey: Uint8Array,
  message: Uint8Array,
  shared: Uint8Array,
  random: Random,
): Uint8Array => {
  const ephemeral = random(32)
  const iv = random(IV_BYTES)
  const { cipherKey, macKey } = keysOf(sharedSecret(ephemeral, publicKey))
  const ciphertext = createCipheriv('aes-128-ctr', cipherKey, iv).update(message)
  const tag = tagOf(macKey, iv, ciphertext, shared)
  return concatBytes(Uint8Array.of(UNCOMPRESSED), publicKeyOf(ephemeral), iv, ciphertext, tag)
}

/**
 * The message of `encryptEcies`. The tag is compared before anything is decrypted.
 * @throws RlpxError, the same one for whatever is wrong
 */
export const decryptEcies = (privateKey: Uint8Array, bytes: Uint8Array, shared: Uint8Array): Uint8Array => {
  if (bytes.length < ECIES_OVERHEAD_BYTES || bytes[0] !== UNCOMPRESSED)
    throw new RlpxError('the handshake failed')
  const { cipherKey, macKey } = keysOf(sharedSecret(privateKey, bytes.subarray(1, IV_AT)))
  const iv = bytes.subarray(IV_AT, CIPHERTEXT_AT)
  const ciphertext = bytes.subarray(CIPHERTEXT_AT, bytes.length - TAG_BYTES)
  const tag = bytes.subarray(bytes.length - TAG_BYTES)
  if (!timingSafeEqual(tagOf(macKey, iv, ciphertext, shared), tag))
    throw new RlpxError('the handshake failed')
  return createDecipheriv('aes-128-ctr', cipherKey, iv).update(ciphertext)
}
