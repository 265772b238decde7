import { isObject } from '../../../core/json.ts'
import { compactVerify, createLocalJWKSet, errors, type JWK } from 'jose'
import { ALGORITHMS } from './algorithms.ts'
import type { VerifySignature } from './publicKey.ts'

/** Keys of one issuer: two while it changes them, some more for several services. */
const KEYS_MAX = 100

/** NIST SP 800-131A, in base64url digits of the modulus: shorter RSA keys no longer protect. */
const MODULUS_LENGTH_MIN = Math.floor((2048 / 8 / 3) * 4)

/** The key set is not usable; the text is for the operator and holds nothing of the keys. */
export class KeySetError extends Error {
  override readonly name = 'KeySetError'
  readonly code = 'KEY_SET'
}

/** Keys for other uses, and secret ones, are left out: a set may hold them for other services. */
const isForSignatures = ({ kty, use, n, crv, key_ops: operations }: JWK): boolean => {
  if (use !== undefined && use !== 'sig') return false
  if (Array.isArray(operations) && !operations.includes('verify')) return false
  if (kty === 'RSA') return typeof n === 'string' && n.length >= MODULUS_LENGTH_MIN
  return kty === 'EC' && ['P-256', 'P-384', 'P-521'].includes(crv ?? '')
}

/** The keys of a JSON Web Key Set (RFC 7517) that verify signatures. @throws KeySetError */
export const parseKeySet = (text: string): readonly JWK[] => {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    throw new KeySetError('it is not JSON')
  }
  const keys = isObject(json) ? json['keys'] : undefined
  if (!Array.isArray(keys) || !keys.every(isObject))
    throw new KeySetError('it is not a JSON Web Key Set: an object with an array of keys')
  if (keys.length > KEYS_MAX) throw new KeySetError(`it has more than ${KEYS_MAX} keys`)
  if (keys.some(key => 'd' in key || 'k' in key))
    throw new KeySetError('it holds a private key: only the issuer of the tokens may have it')
  const usable = (keys as readonly JWK[]).filter(isForSignatures)
  if (usable.length === 0)
    throw new KeySetError('it has no key for signatures: RSA of 2048 bits or more, or P-256, P-384 or P-521')
  return usable
}

/** Verifies with the key that the header of a token names, or with all that fit where it names none. */
export const verifyWithKeySet = (keys: readonly JWK[]): VerifySignature => {
  const find = createLocalJWKSet({ keys: [...keys] })
  const algorithms = [...ALGORITHMS]
  const withOneOf = async (
    token: string,
    candidates: AsyncIterable<CryptoKey>,
  ): Promise<Uint8Array | undefined> => {
    for await (const key of candidates) {
      try {
        return (await compactVerify(token, key, { algorithms })).payload
      } catch {
        // Signed by another key of the set, or by none.
      }
    }
    return undefined
  }
  return async token => {
    try {
      return (await compactVerify(token, find, { algorithms })).payload
    } catch (error) {
      if (error instanceof errors.JWKSMultipleMatchingKeys) return withOneOf(token, error)
      // Not a token, of an unknown key, or an invalid signature: all give the same answer.
      return undefined
    }
  }
}
