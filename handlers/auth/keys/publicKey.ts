import { p256, p384, p521 } from '@noble/curves/nist.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import {
  DER_BIT_STRING,
  DER_INTEGER,
  DER_OBJECT_IDENTIFIER,
  DER_SEQUENCE,
  derElements,
  derSequence,
  oidText,
} from './der.ts'
import type { Algorithm } from './algorithms.ts'
import { firstPemObject } from './pem.ts'

/** A key that is valid for its algorithm. */
export type PublicKey =
  | { readonly kind: 'RSA'; readonly spki: Uint8Array<ArrayBuffer> }
  | {
      readonly kind: 'EC'
      readonly curve: 'P-256' | 'P-384' | 'P-521'
      readonly point: Uint8Array<ArrayBuffer>
    }
  | { readonly kind: 'secp256k1'; readonly point: Uint8Array<ArrayBuffer> }

/** Returns the payload of a compact JWS (RFC 7515) with a valid signature, undefined for any other text. */
export type VerifySignature = (token: string) => Promise<Uint8Array | undefined>

/** NIST SP 800-131A: shorter ones no longer protect. */
export const RSA_BITS_MIN = 2048

const RSA = '1.2.840.113549.1.1.1'
const EC = '1.2.840.10045.2.1'

/** Curves by object identifier, each with the algorithm of its keys. */
const CURVES = {
  '1.2.840.10045.3.1.7': { name: 'P-256', algorithm: 'ES256', curve: p256 },
  '1.3.132.0.10': { name: 'secp256k1', algorithm: 'ES256', curve: secp256k1 },
  '1.3.132.0.34': { name: 'P-384', algorithm: 'ES384', curve: p384 },
  '1.3.132.0.35': { name: 'P-521', algorithm: 'ES512', curve: p521 },
} as const

/** The key file is not usable; the text is for the operator. */
export class PublicKeyError extends Error {
  override readonly name = 'PublicKeyError'
  readonly code = 'PUBLIC_KEY'
}

const refuse = (text: string): never => {
  throw new PublicKeyError(text)
}

const INVALID_FORMAT = 'Authentication RPC public key file format is invalid'

type Spki = {
  readonly oid: string
  readonly parameters: Uint8Array | undefined
  readonly key: Uint8Array<ArrayBuffer>
}

/** SubjectPublicKeyInfo (RFC 5280): algorithm, its parameters where they are an identifier, and the key. */
const readSpki = (der: Uint8Array): Spki | undefined => {
  const [algorithm, key, ...more] = derSequence(der) ?? []
  if (algorithm?.tag !== DER_SEQUENCE || key?.tag !== DER_BIT_STRING || more.length > 0) return undefined
  const [oid, parameters] = derElements(algorithm.content) ?? []
  if (oid?.tag !== DER_OBJECT_IDENTIFIER || key.content[0] !== 0) return undefined
  return {
    oid: oidText(oid.content),
    parameters: parameters?.tag === DER_OBJECT_IDENTIFIER ? parameters.content : undefined,
    key: Uint8Array.from(key.content.subarray(1)),
  }
}

/** PKCS#8, PKCS#1 and SEC 1 private keys start with a version; public keys do not. */
const isPrivate = (label: string, der: Uint8Array): boolean => {
  if (/PRIVATE/.test(label)) return true
  const [version] = derSequence(der) ?? []
  return version?.tag === DER_INTEGER && version.content.length === 1 && (version.content[0] as number) < 2
}

const rsaBits = (key: Uint8Array): number => {
  const [modulus] = derSequence(key) ?? []
  if (modulus?.tag !== DER_INTEGER) return 0
  const digits = modulus.content[0] === 0 ? modulus.content.subarray(1) : modulus.content
  return digits.length === 0 ? 0 : digits.length * 8 - Math.clz32(digits[0] as number) + 24
}

const rsaKey = ({ key }: Spki, der: Uint8Array, algorithm: Algorithm): PublicKey => {
  if (!algorithm.startsWith('RS'))
    refuse(
      `The authentication public key is an RSA key, which ${algorithm} cannot use: give RS256, RS384 or RS512`,
    )
  const bits = rsaBits(key)
  if (bits < RSA_BITS_MIN)
    refuse(
      `The authentication public key is an RSA key of ${bits} bits: at least ${RSA_BITS_MIN} bits are required`,
    )
  return { kind: 'RSA', spki: Uint8Array.from(der) }
}

const ecKey = ({ key, parameters }: Spki, algorithm: Algorithm): PublicKey => {
  const oid = parameters === undefined ? '' : oidText(parameters)
  const entry = Object.hasOwn(CURVES, oid) ? CURVES[oid as keyof typeof CURVES] : undefined
  if (entry === undefined)
    return refuse(
      'The authentication public key is on a curve that is not supported: use P-256, secp256k1, P-384 or P-521, given by name',
    )
  if (entry.algorithm !== algorithm)
    refuse(
      `The authentication public key is on curve ${entry.name}, which ${algorithm} cannot use: give ${entry.algorithm}`,
    )
  let point: Uint8Array<ArrayBuffer>
  try {
    // Checks that the point is on the curve, and converts it to the uncompressed form that every runtime imports.
    point = Uint8Array.from(entry.curve.Point.fromBytes(key).toBytes(false))
  } catch {
    return refuse(`The authentication public key is not a point on curve ${entry.name}`)
  }
  return entry.name === 'secp256k1' ? { kind: 'secp256k1', point } : { kind: 'EC', curve: entry.name, point }
}

/**
 * The key of a PEM file that holds a SubjectPublicKeyInfo, as `openssl pkey -pubout` writes it. The label is ignored.
 * @throws PublicKeyError when there is no key, or more than one, or it is private, too short or of another kind than the algorithm needs.
 */
export const parsePublicKey = (pem: string, algorithm: Algorithm): PublicKey => {
  // An issuer that rotates its keys has two: the second one must not be ignored.
  const count = pem.match(/-----BEGIN [A-Z ]*PUBLIC KEY-----/g)?.length ?? 0
  if (count > 1)
    refuse(
      `The authentication public key file holds ${count} keys, and one would be used: give several as a JSON Web Key Set`,
    )
  const object = firstPemObject(pem)
  if (object === undefined) return refuse(INVALID_FORMAT)
  const { label, bytes } = object
  if (isPrivate(label, bytes))
    refuse(
      'The authentication public key file holds a private key: keep it with the issuer of the tokens, and give the output of `openssl pkey -pubout` here',
    )
  const spki = readSpki(bytes)
  if (spki === undefined)
    return refuse(
      `${INVALID_FORMAT}: it must hold a SubjectPublicKeyInfo, as \`openssl pkey -pubout\` writes it`,
    )
  if (spki.oid === RSA) return rsaKey(spki, bytes, algorithm)
  if (spki.oid === EC) return ecKey(spki, algorithm)
  return refuse('The authentication public key is neither an RSA nor an EC key')
}
