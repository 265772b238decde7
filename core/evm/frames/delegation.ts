import type { Address } from '../../bytes/bytes.ts'
import { concatBytes } from '../../bytes/bytes.ts'

/** EIP-7702: the start of the code of an account that runs the code of another account. */
const DELEGATION_PREFIX = Uint8Array.of(0xef, 0x01, 0x00)
const DELEGATION_LENGTH = 23

export const delegationTo = (address: Address): Uint8Array => concatBytes(DELEGATION_PREFIX, address)

/** The address that the code delegates to; undefined when the code is not a delegation. */
export const delegateOf = (code: Uint8Array): Address | undefined =>
  code.length === DELEGATION_LENGTH && code[0] === 0xef && code[1] === 0x01 && code[2] === 0x00
    ? code.subarray(3)
    : undefined
