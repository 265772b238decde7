import type { Address } from '../bytes/bytes.ts'
import { bigintToFixedBytes } from '../bytes/integer.ts'
import { recoverAddress } from './crypto.ts'
import type { Signature } from './engine.ts'

/** The order of secp256k1's group (SEC 2 §2.4.1): r and s of a signature are positive and below it. */
export const SECP256K1_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

/** The largest s of a transaction's signature (EIP-2). */
export const HALF_ORDER = SECP256K1_ORDER / 2n

const inRange = (value: bigint): boolean => value > 0n && value < SECP256K1_ORDER

/**
 * Recovers the signer's address of the 32-byte hash; undefined if there is none. High s is accepted: callers that refuse it
 * compare with HALF_ORDER.
 */
export const recoverSigner = (
  hash: Uint8Array,
  yParity: number,
  r: bigint,
  s: bigint,
): Address | undefined => {
  if (!inRange(r) || !inRange(s)) return undefined
  return recoverAddress(hash, { r: bigintToFixedBytes(r, 32), s: bigintToFixedBytes(s, 32), yParity })
}

/** Encodes the 65 bytes r || s || v of QBFT seals and messages; v is the parity. */
export const signatureToBytes65 = ({ r, s, yParity }: Signature): Uint8Array => {
  const bytes = new Uint8Array(65)
  bytes.set(r, 0)
  bytes.set(s, 32)
  bytes[64] = yParity
  return bytes
}

/** Decodes 65 bytes r || s || v; undefined for another length or another v than 0 or 1. */
export const signatureFromBytes65 = (bytes: Uint8Array): Signature | undefined => {
  const yParity = bytes[64]
  if (bytes.length !== 65 || (yParity !== 0 && yParity !== 1)) return undefined
  return { r: bytes.slice(0, 32), s: bytes.slice(32, 64), yParity }
}
