import { type Address, EMPTY_BYTES, equalBytes, type Hash, ZERO_ADDRESS } from '../../../core/bytes/bytes.ts'
import type { AccessListEntry, Authorization } from '../../../core/chain/transaction.ts'
import { RpcError } from '../errors.ts'
import { addressOf, bytesOf, hashOf, integerOf, isObject, required } from '../parameters/values.ts'

/** The call of eth_call and its kin, as it was given: what is undefined was left out. */
export type CallParameters = {
  readonly chainId: bigint | undefined
  readonly from: Address
  readonly to: Address | undefined
  readonly gas: bigint | undefined
  /** Wei per gas. */
  readonly gasPrice: bigint | undefined
  /** Wei per gas. */
  readonly maxPriorityFeePerGas: bigint | undefined
  /** Wei per gas. */
  readonly maxFeePerGas: bigint | undefined
  /** Wei per blob gas. */
  readonly maxFeePerBlobGas: bigint | undefined
  /** Wei. */
  readonly value: bigint
  readonly data: Uint8Array
  readonly accessList: readonly AccessListEntry[]
  readonly blobVersionedHashes: readonly Hash[] | undefined
  readonly authorizationList: readonly Authorization[] | undefined
  readonly nonce: bigint | undefined
  /** Besu's extension: false waives the price of gas, whatever the call offers. */
  readonly strict: boolean | undefined
}

/** Entries of any list of a call: each is work before the call is even judged. */
const LIST_MAX = 10_000

const invalid = (): never => {
  throw new RpcError('INVALID_CALL')
}

/** The member read by `read`, undefined where it is missing or null. */
const optional = <T>(value: unknown, read: (value: unknown) => T | undefined): T | undefined =>
  value === undefined || value === null ? undefined : required(read(value), 'INVALID_CALL')

const listOf = <T>(value: unknown, read: (value: unknown) => T): readonly T[] | undefined => {
  if (value === undefined || value === null) return undefined
  if (!Array.isArray(value) || value.length > LIST_MAX) return invalid()
  return value.map(read)
}

const readAccessListEntry = (value: unknown): AccessListEntry => {
  if (!isObject(value)) return invalid()
  return {
    address: required(addressOf(value['address']), 'INVALID_CALL'),
    storageKeys: listOf(value['storageKeys'], key => required(hashOf(key), 'INVALID_CALL')) ?? [],
  }
}

const readAuthorization = (value: unknown): Authorization => {
  if (!isObject(value)) return invalid()
  const integer = (name: string, bits: number): bigint =>
    required(integerOf(value[name], bits), 'INVALID_CALL')
  return {
    chainId: integer('chainId', 256),
    address: required(addressOf(value['address']), 'INVALID_CALL'),
    nonce: integer('nonce', 64),
    yParity: value['yParity'] === undefined ? integer('v', 8) : integer('yParity', 8),
    r: integer('r', 256),
    s: integer('s', 256),
  }
}

const readData = (input: unknown, data: unknown): Uint8Array => {
  const first = optional(input, bytesOf)
  const second = optional(data, bytesOf)
  if (first !== undefined && second !== undefined && !equalBytes(first, second)) return invalid()
  return first ?? second ?? EMPTY_BYTES
}

const readBoolean = (value: unknown): boolean | undefined => (typeof value === 'boolean' ? value : undefined)

const uint64 = (value: unknown): bigint | undefined => integerOf(value, 64)
const uint256 = (value: unknown): bigint | undefined => integerOf(value, 256)

/** Members that are not known are passed over. @throws RpcError `Invalid call params` */
export const readCall = (value: unknown): CallParameters => {
  if (!isObject(value)) return invalid()
  return {
    chainId: optional(value['chainId'], uint256),
    from: optional(value['from'], addressOf) ?? ZERO_ADDRESS,
    to: optional(value['to'], addressOf),
    gas: optional(value['gas'], uint64),
    gasPrice: optional(value['gasPrice'], uint256),
    maxPriorityFeePerGas: optional(value['maxPriorityFeePerGas'], uint256),
    maxFeePerGas: optional(value['maxFeePerGas'], uint256),
    maxFeePerBlobGas: optional(value['maxFeePerBlobGas'], uint256),
    value: optional(value['value'], uint256) ?? 0n,
    data: readData(value['input'], value['data']),
    accessList: listOf(value['accessList'], readAccessListEntry) ?? [],
    blobVersionedHashes: listOf(value['blobVersionedHashes'], hash => required(hashOf(hash), 'INVALID_CALL')),
    authorizationList: listOf(value['authorizationList'], readAuthorization),
    nonce: optional(value['nonce'], uint64),
    strict: optional(value['strict'], readBoolean),
  }
}
