import type { Transaction } from '../../block/transaction.ts'
import type { ForkName } from '../../genesis/fork.ts'
import { INIT_CODE_WORD_GAS } from '../frames/create.ts'
import { scheduleOf } from './gasSchedule.ts'

const TRANSACTION_GAS = 21000
const CREATION_GAS = 32000
const ZERO_BYTE_GAS = 4
/** EIP-2930. */
const LISTED_ADDRESS_GAS = 2400
const LISTED_KEY_GAS = 1900
/** EIP-7702, PER_EMPTY_ACCOUNT_COST. */
export const AUTHORIZATION_GAS = 25000
/** EIP-7623: a non-zero byte counts as four tokens, a zero byte as one. */
const FLOOR_TOKEN_GAS = 10
const TOKENS_OF_BYTE = 4

type Priced = Pick<Transaction, 'to' | 'data' | 'accessList' | 'authorizationList'>

const zeroBytes = (data: Uint8Array): number => {
  let zeros = 0
  for (let i = 0; i < data.length; i++) if (data[i] === 0) zeros++
  return zeros
}

/** The least gas that a transaction uses. */
export type MinimumGas = {
  /** Charged before anything runs. */
  readonly intrinsic: bigint
  /** EIP-7623: least gas used by a transaction with this data, after refunds; 0 before Prague. */
  readonly floor: bigint
}

export const minimumGas = (
  fork: ForkName,
  { to, data, accessList, authorizationList }: Priced,
): MinimumGas => {
  const schedule = scheduleOf(fork)
  const zeros = zeroBytes(data)
  const others = data.length - zeros
  let gas = TRANSACTION_GAS + ZERO_BYTE_GAS * zeros + schedule.dataByteGas * others
  if (to === undefined && schedule.isHomestead) gas += CREATION_GAS
  if (to === undefined && schedule.isShanghai) gas += INIT_CODE_WORD_GAS * Math.ceil(data.length / 32)
  for (const { storageKeys } of accessList) gas += LISTED_ADDRESS_GAS + LISTED_KEY_GAS * storageKeys.length
  gas += AUTHORIZATION_GAS * authorizationList.length
  const floor = schedule.isPrague ? TRANSACTION_GAS + FLOOR_TOKEN_GAS * (zeros + TOKENS_OF_BYTE * others) : 0
  return { intrinsic: BigInt(gas), floor: BigInt(floor) }
}

/** The gas that is charged before anything runs. */
export const intrinsicGas = (fork: ForkName, transaction: Priced): bigint =>
  minimumGas(fork, transaction).intrinsic

/** EIP-7623's floor for this data; 0 before Prague. */
export const floorGas = (fork: ForkName, data: Uint8Array): bigint =>
  minimumGas(fork, { to: undefined, data, accessList: [], authorizationList: [] }).floor
