import type { Address } from '../../../core/bytes/bytes.ts'
import { toBareHex } from '../../../core/bytes/hex.ts'
import { keccak256 } from '../../../core/crypto/crypto.ts'

/** EIP-55: a letter is upper-case if the hash of the lower-case digits has a digit of at least 8 at its place. */
export const checksumAddress = (address: Address): string => {
  const digits = toBareHex(address)
  const hash = toBareHex(keccak256(new TextEncoder().encode(digits)))
  return `0x${Array.from(digits, (digit, i) => ((hash[i] as string) >= '8' ? digit.toUpperCase() : digit)).join('')}`
}
