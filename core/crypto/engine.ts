/** A recoverable secp256k1 signature: 32-byte r and s, and the parity of the nonce point's y (0 or 1). */
export type Signature = { readonly r: Uint8Array; readonly s: Uint8Array; readonly yParity: number }

/** A hash that is fed piece by piece; nothing is called after `digest`. */
export type HashState = { readonly update: (bytes: Uint8Array) => void; readonly digest: () => Uint8Array }

/**
 * The seam behind which hashing and secp256k1 sit, so that a faster engine can serve where the runtime has one.
 * Every engine gives the same answers; `test/core/crypto` holds them against each other.
 */
export type CryptoEngine = {
  readonly name: string
  readonly keccak256: (bytes: Uint8Array) => Uint8Array
  readonly createKeccak256: () => HashState
  /** RFC 6979 deterministic, low s. `hash` and `privateKey` are 32 bytes. */
  readonly sign: (hash: Uint8Array, privateKey: Uint8Array) => Signature
  /**
   * The 64-byte public key (x, y) that signed the 32-byte hash, or undefined when there is none
   * (r or s zero or not below the order, no such point). High s is accepted: callers that refuse it check it.
   */
  readonly recoverPublicKey: (hash: Uint8Array, signature: Signature) => Uint8Array | undefined
  /** The 64-byte public key (x, y) of a 32-byte private key. */
  readonly publicKey: (privateKey: Uint8Array) => Uint8Array
}

/** True when hash, r and s have their 32 bytes and the parity is 0 or 1, as every engine asks of what it recovers. */
export const isRecoverable = (hash: Uint8Array, { r, s, yParity }: Signature): boolean =>
  hash.length === 32 && r.length === 32 && s.length === 32 && (yParity === 0 || yParity === 1)
