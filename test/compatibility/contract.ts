import { DEVELOPMENT_ACCOUNTS, type DevelopmentAccount } from '../../core/genesis/development/accounts.ts'
import { toHex } from '../../core/bytes/hex.ts'

export const CHAIN_ID = 1337
export const SUPPLY = 1_000_000n
export const AMOUNT = 1_234n

/** Keys of the funded accounts that a development chain prints. */
export const privateKeyOf = (index: number): `0x${string}` =>
  toHex((DEVELOPMENT_ACCOUNTS[index] as DevelopmentAccount).privateKey) as `0x${string}`
