import type { Address, Hash } from '../../core/bytes/bytes.ts'
import { type Seal, sealOfSignature } from '../../core/block/codec/seal.ts'
import { sign } from '../../core/crypto/crypto.ts'
import type { NodeKey } from '../keys/nodeKey.ts'

/** The key of this node's validator, wherever it is. It signs consensus messages and nothing else. */
export type ValidatorSigner = {
  readonly address: Address
  /** 64 bytes. */
  readonly publicKey: Uint8Array
  /**
   * Signs a 32-byte digest, the keccak256 hash of the bytes that `preimage` returns. At once where the key is in this process.
   * @throws SignerError, also as a rejection
   */
  readonly sign: (digest: Hash, preimage: () => Uint8Array) => Seal | Promise<Seal>
  readonly close: () => void
}

/** The signer gave no signature of the validator's key; the message is not sent. */
export class SignerError extends Error {
  override readonly name = 'SignerError'
  readonly code = 'SIGNER'
}

/** A signer with the key in this process. */
export const localSigner = ({ address, publicKey, privateKey }: NodeKey): ValidatorSigner => ({
  address,
  publicKey,
  sign: digest => sealOfSignature(sign(digest, privateKey)),
  close: () => undefined,
})
