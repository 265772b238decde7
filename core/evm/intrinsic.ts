import type { Transaction } from '../chain/transaction.ts'
import type { ForkName } from '../genesis/fork.ts'
import { INIT_CODE_WORD_GAS } from './create.ts'
import { scheduleOf } from './schedule.ts'

const TRANSACTION_GAS = 21000
const CREATION_GAS = 32000
const ZERO_BYTE_GAS = 4
/** EIP-2930. */
const LISTED_ADDRESS_GAS = 2400
const LISTED_KEY_GAS = 1900
/** EIP-7702, PER_EMPTY_ACCOUNT_COST. */
export const AUTHORIZATION_GAS = 25000
/** EIP-7623: a byte that is not zero counts as four tokens, a zero as one. */
const FLOOR_TOKEN_GAS = 10
const TOKENS_OF_BYTE = 4

type Priced = Pick<Transaction, 'to' | 'data' | 'accessList' | 'authorizationList'>

const zeroBytes = (data: Uint8Array): number => {
  let zeros = 0
  for (let i = 0; i < data.length; i++) if (data[i] === 0) zeros++
  return zeros
}

/** What a transaction costs before anything runs. */
export const intrinsicGas = (fork: ForkName, { to, data, accessList, authorizationList }: Priced): bigint => {
  const schedule = scheduleOf(fork)
  const zeros = zeroBytes(data)
  let gas = TRANSACTION_GAS + ZERO_BYTE_GAS * zeros + schedule.dataByteGas * (data.length - zeros)
  if (to === undefined && schedule.isHomestead) gas += CREATION_GAS
  if (to === undefined && schedule.isShanghai) gas += INIT_CODE_WORD_GAS * Math.ceil(data.length / 32)
  for (const { storageKeys } of accessList) gas += LISTED_ADDRESS_GAS + LISTED_KEY_GAS * storageKeys.length
  return BigInt(gas + AUTHORIZATION_GAS * authorizationList.length)
}

/** EIP-7623: the least that a transaction with this data uses; 0 before Prague. */
export const floorGas = (fork: ForkName, data: Uint8Array): bigint => {
  if (!scheduleOf(fork).isPrague) return 0n
  const zeros = zeroBytes(data)
  return BigInt(TRANSACTION_GAS + FLOOR_TOKEN_GAS * (zeros + TOKENS_OF_BYTE * (data.length - zeros)))
}
