import type { Address } from '../../../core/bytes/bytes.ts'
import { addressOfPrivateKey, keccak256 } from '../../../core/crypto/crypto.ts'

export type Identity = { readonly address: Address; readonly privateKey: Uint8Array }

/** The key of the node with this number: the same in every simulation with the same engine. */
export const identityOf = (index: number): Identity => {
  const privateKey = keccak256(new TextEncoder().encode(`simulated validator ${index}`))
  return { privateKey, address: addressOfPrivateKey(privateKey) }
}
