import { type Address, compareBytes } from '../../../core/bytes/bytes.ts'
import { toBareHex } from '../../../core/bytes/hex.ts'
import { sealOfSignature, type Seal } from '../../../core/block/codec/seal.ts'
import { sign, useCryptoEngine } from '../../../core/crypto/crypto.ts'
import { loadWasmEngine } from '../../../core/crypto/wasm/engine.ts'
import { simulationEngine } from '../../simulation/cryptoEngine.ts'
import { identityOf } from '../../simulation/node/identity.ts'

// Signatures that cost microseconds: nobody forges one here, so that what they are made of changes nothing.
useCryptoEngine(simulationEngine((await loadWasmEngine(new Uint8Array(32))).keccak256))

/** The validators of the network, in ascending order of their addresses. */
export type Members = {
  readonly addresses: readonly Address[]
  /** -1 for an address of nobody. */
  indexOf(address: Address): number
  signerOf(index: number): (digest: Uint8Array) => Seal
}

export const createMembers = (count: number): Members => {
  const identities = Array.from({ length: count }, (_, index) => identityOf(index)).toSorted((one, other) =>
    compareBytes(one.address, other.address),
  )
  const indexes = new Map(identities.map(({ address }, index) => [toBareHex(address), index]))
  const signers = identities.map(
    ({ privateKey }) =>
      (digest: Uint8Array): Seal =>
        sealOfSignature(sign(digest, privateKey)),
  )
  return {
    addresses: identities.map(({ address }) => address),
    indexOf: address => indexes.get(toBareHex(address)) ?? -1,
    signerOf: index => signers[index] as (digest: Uint8Array) => Seal,
  }
}
