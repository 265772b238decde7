import { secp256k1 } from '@noble/curves/secp256k1.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { base64url, compactVerify, decodeProtectedHeader } from 'jose'
import type { Algorithm } from '../keys/algorithms.ts'
import type { PublicKey, VerifySignature } from '../keys/publicKey.ts'

const ENCODER = new TextEncoder()

const SHA_OF: Readonly<Record<Algorithm, string>> = {
  RS256: 'SHA-256',
  RS384: 'SHA-384',
  RS512: 'SHA-512',
  ES256: 'SHA-256',
  ES384: 'SHA-384',
  ES512: 'SHA-512',
}

const importKey = (
  key: Exclude<PublicKey, { kind: 'secp256k1' }>,
  algorithm: Algorithm,
): Promise<CryptoKey> =>
  key.kind === 'RSA'
    ? crypto.subtle.importKey(
        'spki',
        key.spki,
        { name: 'RSASSA-PKCS1-v1_5', hash: SHA_OF[algorithm] },
        true,
        ['verify'],
      )
    : crypto.subtle.importKey('raw', key.point, { name: 'ECDSA', namedCurve: key.curve }, true, ['verify'])

/** jose accepts only the given algorithm, whatever the header says, and refuses unknown critical extensions. */
export const verifyWithKey =
  (key: CryptoKey, algorithm: Algorithm): VerifySignature =>
  async token => {
    try {
      return (await compactVerify(token, key, { algorithms: [algorithm] })).payload
    } catch {
      // Not a token, another algorithm, or an invalid signature: all give the same answer.
      return undefined
    }
  }

/** Tests for a header that jose would accept: ES256, and no extension that changes the signed bytes. */
const isPlainEs256 = (token: string): boolean => {
  const { alg, crit, b64 } = decodeProtectedHeader(token)
  return alg === 'ES256' && crit === undefined && b64 === undefined
}

/** ES256 with a key on secp256k1, which Besu supports and jose does not. High S is accepted: RFC 7518 has no rule for it. */
const verifyWithSecp256k1 =
  (point: Uint8Array): VerifySignature =>
  token => {
    try {
      const [header, payload, signature, ...more] = token.split('.')
      if (payload === undefined || signature === undefined || more.length > 0 || !isPlainEs256(token))
        return Promise.resolve(undefined)
      const digest = sha256(ENCODER.encode(`${header}.${payload}`))
      const isRight = secp256k1.verify(base64url.decode(signature), digest, point, {
        prehash: false,
        lowS: false,
      })
      return Promise.resolve(isRight ? base64url.decode(payload) : undefined)
    } catch {
      // Neither base64 nor JSON, or a signature of another length.
      return Promise.resolve(undefined)
    }
  }

export const createVerifySignature = async (
  key: PublicKey,
  algorithm: Algorithm,
): Promise<VerifySignature> =>
  key.kind === 'secp256k1'
    ? verifyWithSecp256k1(key.point)
    : verifyWithKey(await importKey(key, algorithm), algorithm)
