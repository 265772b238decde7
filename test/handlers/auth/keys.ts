import { secp256k1 } from '@noble/curves/secp256k1.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { exportPKCS8, exportSPKI, generateKeyPair } from 'jose'
import type { Algorithm } from '../../../handlers/auth/keys/algorithms.ts'
import { part } from './tokens.ts'

/** Both halves of a key as PEM. */
export type KeyPair = { readonly publicPem: string; readonly privatePem: string }

export const createKeys = async (algorithm: Algorithm, modulusLength = 2048): Promise<KeyPair> => {
  const { privateKey, publicKey } = await generateKeyPair(algorithm, { extractable: true, modulusLength })
  return { publicPem: await exportSPKI(publicKey), privatePem: await exportPKCS8(privateKey) }
}

export const pemOf = (label: string, bytes: Uint8Array): string =>
  `-----BEGIN ${label}-----\n${Buffer.from(bytes).toString('base64')}\n-----END ${label}-----\n`

/** SubjectPublicKeyInfo of a key on secp256k1, up to its point. */
const SPKI_HEAD = '3056301006072a8648ce3d020106052b8104000a034200'

export type Secp256k1Keys = {
  readonly publicPem: string
  /** A compact JWS; `alg` is what the header says. */
  readonly sign: (claims: unknown, alg?: string) => string
  /** r || s of the signing input. */
  readonly signatureOf: (input: string) => Uint8Array
}

export const createSecp256k1Keys = (): Secp256k1Keys => {
  const secret = secp256k1.utils.randomSecretKey()
  const point = secp256k1.getPublicKey(secret, false)
  const signatureOf = (input: string): Uint8Array =>
    secp256k1.sign(sha256(Buffer.from(input)), secret, { prehash: false })
  return {
    publicPem: pemOf('PUBLIC KEY', Buffer.concat([Buffer.from(SPKI_HEAD, 'hex'), point])),
    signatureOf,
    sign: (claims, alg = 'ES256') => {
      const input = `${part({ alg })}.${part(claims)}`
      return `${input}.${Buffer.from(signatureOf(input)).toString('base64url')}`
    },
  }
}
