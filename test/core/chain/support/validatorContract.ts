import { type Address, padStartBytes } from '../../../../core/bytes/bytes.ts'
import { toHex } from '../../../../core/bytes/hex.ts'
import { bigintToFixedBytes } from '../../../../core/bytes/integer.ts'
import type { Key } from './keys.ts'

/**
 * The smallest validator contract: storage 0 has the number of validators, 1 and following their addresses. Called with 64 bytes, it
 * stores the second word at the first; called with anything else, it answers as `getValidators()`.
 */
const CODE =
  '0x36604014603b5760206000526000548060205260005b8181101560305780600101548160051b604001526001016015565b5060051b6040016000f35b6020356000355500'

const word = (value: number): Uint8Array => bigintToFixedBytes(BigInt(value), 32)

/** The contract's account in a genesis file. */
export const contractAccount = (validators: readonly Key[]): object => ({
  balance: '0x0',
  code: CODE,
  storage: Object.fromEntries(
    [word(validators.length), ...validators.map(({ address }) => padStartBytes(address, 32))].map(
      (value, slot) => [toHex(word(slot)), toHex(value)],
    ),
  ),
})

/** Call data that makes the contract store an address. */
export const storeCall = (slot: number, address: Address): Uint8Array =>
  Uint8Array.of(...word(slot), ...padStartBytes(address, 32))

/** Call data that makes the contract store a number. */
export const storeCountCall = (count: number): Uint8Array => Uint8Array.of(...word(0), ...word(count))
