import type { Address } from '../bytes/bytes.ts'
import type { CryptoEngine, HashState, Signature } from './engine.ts'
import { nobleEngine } from './noble.ts'

let engine: CryptoEngine = nobleEngine

/** Replaces the engine of all functions of this module; entry points call it once, before anything else runs. */
export const useCryptoEngine = (next: CryptoEngine): void => {
  engine = next
}

export const cryptoEngineName = (): string => engine.name

export const keccak256 = (bytes: Uint8Array): Uint8Array => engine.keccak256(bytes)

/** Writes the hash of the bytes from `start` to `end` to `output` at `at`: allocates nothing, for callers that hash often. */
export const keccak256Part = (
  bytes: Uint8Array,
  start: number,
  end: number,
  output: Uint8Array,
  at: number,
): void => engine.keccak256Part(bytes, start, end, output, at)

/** As `keccak256Part`, of a part of a view, to eight words, the least significant first. */
export const keccak256Words = (
  view: DataView,
  start: number,
  end: number,
  words: Int32Array,
  at: number,
): void => engine.keccak256Words(view, start, end, words, at)

export const createKeccak256 = (): HashState => engine.createKeccak256()

export const sign = (hash: Uint8Array, privateKey: Uint8Array): Signature => engine.sign(hash, privateKey)

export const publicKeyOf = (privateKey: Uint8Array): Uint8Array => engine.publicKey(privateKey)

/** The last 20 bytes of the keccak of the 64-byte public key. */
export const addressOfPublicKey = (publicKey: Uint8Array): Address => engine.keccak256(publicKey).slice(12)

export const addressOfPrivateKey = (privateKey: Uint8Array): Address =>
  addressOfPublicKey(engine.publicKey(privateKey))

/** The signer's 64-byte public key, or undefined when none can be recovered. The hash is 32 bytes. */
export const recoverPublicKey = (hash: Uint8Array, signature: Signature): Uint8Array | undefined =>
  engine.recoverPublicKey(hash, signature)

/** The signer's address, or undefined when no key can be recovered. The hash is 32 bytes. */
export const recoverAddress = (hash: Uint8Array, signature: Signature): Address | undefined => {
  const publicKey = recoverPublicKey(hash, signature)
  return publicKey === undefined ? undefined : addressOfPublicKey(publicKey)
}
