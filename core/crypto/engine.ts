/** A recoverable secp256k1 signature: 32-byte r and s, and the parity of the nonce point's y (0 or 1). */
export type Signature = { readonly r: Uint8Array; readonly s: Uint8Array; readonly yParity: number }

/** An incremental hash. `digest` returns the hash of all bytes so far; more may follow. */
export type HashState = { readonly update: (bytes: Uint8Array) => void; readonly digest: () => Uint8Array }

/**
 * The interface to hashing and secp256k1, so that a faster engine can be used if the runtime has one. All engines give the
 * same results; `test/core/crypto` compares them.
 */
export type CryptoEngine = {
  readonly name: string
  readonly keccak256: (bytes: Uint8Array) => Uint8Array
  /** Writes the hash of the bytes from `start` to `end` to `output` at `at`. */
  readonly keccak256Part: (
    bytes: Uint8Array,
    start: number,
    end: number,
    output: Uint8Array,
    at: number,
  ) => void
  /** Writes the hash of a part of the view to eight words at `at`, the least significant first. */
  readonly keccak256Words: (view: DataView, start: number, end: number, words: Int32Array, at: number) => void
  readonly createKeccak256: () => HashState
  /** RFC 6979 deterministic, low s. `hash` and `privateKey` are 32 bytes. */
  readonly sign: (hash: Uint8Array, privateKey: Uint8Array) => Signature
  /**
   * Recovers the 64-byte public key (x, y) that signed the 32-byte hash; undefined if there is none (r or s is zero or not
   * below the order, or there is no such point). High s is accepted: callers that refuse it check it.
   */
  readonly recoverPublicKey: (hash: Uint8Array, signature: Signature) => Uint8Array | undefined
  /** The 64-byte public key (x, y) of a 32-byte private key. */
  readonly publicKey: (privateKey: Uint8Array) => Uint8Array
}

/** True when hash, r and s have 32 bytes and the parity is 0 or 1, as every engine requires. */
export const isRecoverable = (hash: Uint8Array, { r, s, yParity }: Signature): boolean =>
  hash.length === 32 && r.length === 32 && s.length === 32 && (yParity === 0 || yParity === 1)
