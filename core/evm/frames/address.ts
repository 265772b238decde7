import type { Address, Hash } from '../../bytes/bytes.ts'
import { concatBytes } from '../../bytes/bytes.ts'
import { keccak256 } from '../../crypto/crypto.ts'
import { encodeRlp } from '../../rlp/rlp.ts'

/** The address of a contract that `sender` creates while its nonce is `nonce` (Yellow Paper §7). */
export const createAddress = (sender: Address, nonce: bigint): Address =>
  keccak256(encodeRlp([sender, nonce])).slice(12)

const CREATE2_PREFIX = Uint8Array.of(0xff)

/** EIP-1014. `salt` has 32 bytes. */
export const create2Address = (sender: Address, salt: Uint8Array, initCodeHash: Hash): Address =>
  keccak256(concatBytes(CREATE2_PREFIX, sender, salt, initCodeHash)).slice(12)
