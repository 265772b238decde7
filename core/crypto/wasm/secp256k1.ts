import { type CryptoEngine, isRecoverable } from '../engine.ts'
import { instantiate } from './instance.ts'

/** The functions of the module; parameters are addresses in its memory, and 1 means success. */
type Functions = {
  secp256k1_init(): number
  secp256k1_randomize(seed: number): number
  secp256k1_get_public_key(privateKey: number, publicKey: number): number
  secp256k1_recover_public_key(signature: number, hash: number, length: number, publicKey: number): number
  secp256k1_sign(
    hash: number,
    length: number,
    privateKey: number,
    entropy: number,
    entropyLength: number,
    isHashedFirst: number,
    signature: number,
  ): number
  /** Clears so many bytes, so that no key stays in memory. */
  zero(address: number, length: number): void
}

const HASH_BYTES = 32
const KEY_BYTES = 32
/** The parity of the nonce point's y, r and s. */
const SIGNATURE_BYTES = 65
/** 4, x and y. */
const PUBLIC_KEY_BYTES = 65
const SEED_BYTES = 32

const requireLength = (bytes: Uint8Array, length: number, what: string): void => {
  if (bytes.length !== length) throw new RangeError(`${what} has ${bytes.length} bytes instead of ${length}`)
}

/**
 * Signatures of the module.
 * @param seed 32 random bytes that blind computations with private keys, against observers of power or time
 */
export const createSecp256k1 = (
  module: WebAssembly.Module,
  seed: Uint8Array,
): Pick<CryptoEngine, 'sign' | 'recoverPublicKey' | 'publicKey'> => {
  requireLength(seed, SEED_BYTES, 'the seed')
  const { functions, heapBase, reserve } = instantiate<Functions>(module)

  /**
   * Copies the inputs to the memory, calls with the addresses of inputs and output, and clears all of them. Undefined when
   * the call failed.
   */
  const run = (
    inputs: readonly Uint8Array[],
    outputBytes: number,
    call: (first: number, second: number, output: number) => number,
  ): Uint8Array | undefined => {
    const [first, second] = inputs as [Uint8Array, Uint8Array?]
    const secondAt = heapBase + first.length
    const outputAt = secondAt + (second?.length ?? 0)
    const size = outputAt + outputBytes - heapBase
    const view = reserve(size)
    try {
      view.set(first, heapBase)
      if (second !== undefined) view.set(second, secondAt)
      if (call(heapBase, secondAt, outputAt) !== 1) return undefined
      return view.slice(outputAt, outputAt + outputBytes)
    } finally {
      functions.zero(heapBase, size)
    }
  }

  if (functions.secp256k1_init() !== 1) throw new Error('the secp256k1 context could not be created')
  if (run([seed], 0, at => functions.secp256k1_randomize(at)) === undefined)
    throw new Error('the secp256k1 context could not be blinded')

  return {
    sign: (hash, privateKey) => {
      requireLength(hash, HASH_BYTES, 'the hash')
      requireLength(privateKey, KEY_BYTES, 'the private key')
      const bytes = run([hash, privateKey], SIGNATURE_BYTES, (hashAt, keyAt, output) =>
        functions.secp256k1_sign(hashAt, HASH_BYTES, keyAt, 0, 0, 0, output),
      )
      if (bytes === undefined)
        throw new RangeError('the private key is zero or not below the order of secp256k1')
      return { r: bytes.slice(1, 33), s: bytes.slice(33, 65), yParity: bytes[0] as number }
    },
    recoverPublicKey: (hash, signature) => {
      if (!isRecoverable(hash, signature)) return undefined
      const bytes = new Uint8Array(SIGNATURE_BYTES)
      bytes[0] = signature.yParity
      bytes.set(signature.r, 1)
      bytes.set(signature.s, 33)
      return run([bytes, hash], PUBLIC_KEY_BYTES, (signatureAt, hashAt, output) =>
        functions.secp256k1_recover_public_key(signatureAt, hashAt, HASH_BYTES, output),
      )?.slice(1)
    },
    publicKey: privateKey => {
      requireLength(privateKey, KEY_BYTES, 'the private key')
      const bytes = run([privateKey], PUBLIC_KEY_BYTES, (keyAt, _, output) =>
        functions.secp256k1_get_public_key(keyAt, output),
      )
      if (bytes === undefined)
        throw new RangeError('the private key is zero or not below the order of secp256k1')
      return bytes.slice(1)
    },
  }
}
