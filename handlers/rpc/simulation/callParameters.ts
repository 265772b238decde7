import { isObject, type JsonObject } from '../../../core/json.ts'
import { type Address, EMPTY_BYTES, equalBytes, type Hash, ZERO_ADDRESS } from '../../../core/bytes/bytes.ts'
import type { AccessListEntry, Authorization } from '../../../core/block/transaction.ts'
import { RpcError } from '../errors.ts'
import { addressOf, flagOf, hashOf, integerOf, prefixedBytesOf } from '../parameters/values.ts'

/** The call parameter of eth_call and similar methods; missing members are undefined. */
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
  /** Besu's extension: false makes gas free, even if the call has a price. */
  readonly strict: boolean | undefined
}

/** Maximum length of any list of a call: each entry costs time before the call is checked. */
const LIST_MAX = 10_000

/** Refuses a call because of a member. @throws RpcError */
export const invalidCall = (reason: string): never => {
  throw new RpcError('INVALID_CALL', { data: `call.${reason}` })
}

/** A reader of a member's value, and a description of the values that it accepts. */
type Kind<T> = { readonly read: (value: unknown) => T | undefined; readonly words: string }

const ADDRESS: Kind<Address> = { read: addressOf, words: 'an address of 20 bytes in hex' }
const HASH: Kind<Hash> = { read: hashOf, words: '32 bytes in hex with 0x' }
const BYTES: Kind<Uint8Array> = {
  read: prefixedBytesOf,
  words: 'bytes in hex: 0x and an even number of digits',
}
const FLAG: Kind<boolean> = { read: flagOf, words: 'true or false' }
const integer = (bits: number): Kind<bigint> => ({
  read: value => integerOf(value, bits),
  words: `an integer of at most ${bits} bits, as a number or in hex`,
})
const UINT8 = integer(8)
const UINT64 = integer(64)
const UINT256 = integer(256)

/** The member; undefined if it is missing or null. @param where prefix of its name in errors */
const optional = <T>(
  object: JsonObject,
  name: string,
  { read, words }: Kind<T>,
  where = '',
): T | undefined => {
  const value = object[name]
  return value === undefined || value === null
    ? undefined
    : (read(value) ?? invalidCall(`${where}${name}: ${words}`))
}

const requiredMember = <T>(object: JsonObject, name: string, kind: Kind<T>, where: string): T =>
  optional(object, name, kind, where) ?? invalidCall(`${where}${name} is missing: ${kind.words}`)

const listOf = <T>(
  object: JsonObject,
  name: string,
  read: (value: unknown) => T,
  where = '',
): readonly T[] | undefined => {
  const value = object[name]
  if (value === undefined || value === null) return undefined
  if (!Array.isArray(value) || value.length > LIST_MAX)
    return invalidCall(`${where}${name}: a list of at most ${LIST_MAX} elements`)
  return value.map(read)
}

const readAccessListEntry = (value: unknown): AccessListEntry => {
  if (!isObject(value))
    return invalidCall('accessList: each element must be an object with address and storageKeys')
  const readKey = (key: unknown): Hash => hashOf(key) ?? invalidCall(`accessList.storageKeys: ${HASH.words}`)
  return {
    address: requiredMember(value, 'address', ADDRESS, 'accessList.'),
    storageKeys: listOf(value, 'storageKeys', readKey, 'accessList.') ?? [],
  }
}

const readAuthorization = (value: unknown): Authorization => {
  if (!isObject(value)) return invalidCall('authorizationList: each element must be an object')
  const member = <T>(name: string, kind: Kind<T>): T =>
    requiredMember(value, name, kind, 'authorizationList.')
  return {
    chainId: member('chainId', UINT256),
    address: member('address', ADDRESS),
    nonce: member('nonce', UINT64),
    yParity: member(value['yParity'] === undefined ? 'v' : 'yParity', UINT8),
    r: member('r', UINT256),
    s: member('s', UINT256),
  }
}

const readData = (call: JsonObject): Uint8Array => {
  const input = optional(call, 'input', BYTES)
  const data = optional(call, 'data', BYTES)
  if (input !== undefined && data !== undefined && !equalBytes(input, data))
    return invalidCall('input and data differ')
  return input ?? data ?? EMPTY_BYTES
}

const readVersionedHash = (value: unknown): Hash =>
  hashOf(value) ?? invalidCall(`blobVersionedHashes: ${HASH.words}`)

/** Reads a call and ignores unknown members. @throws RpcError `Invalid call params` */
export const readCall = (value: unknown): CallParameters => {
  if (!isObject(value))
    throw new RpcError('INVALID_CALL', {
      data: 'call: an object with to, from, value, input and other members',
    })
  const member = <T>(name: string, kind: Kind<T>): T | undefined => optional(value, name, kind)
  return {
    chainId: member('chainId', UINT256),
    from: member('from', ADDRESS) ?? ZERO_ADDRESS,
    to: member('to', ADDRESS),
    gas: member('gas', UINT64),
    gasPrice: member('gasPrice', UINT256),
    maxPriorityFeePerGas: member('maxPriorityFeePerGas', UINT256),
    maxFeePerGas: member('maxFeePerGas', UINT256),
    maxFeePerBlobGas: member('maxFeePerBlobGas', UINT256),
    value: member('value', UINT256) ?? 0n,
    data: readData(value),
    accessList: listOf(value, 'accessList', readAccessListEntry) ?? [],
    blobVersionedHashes: listOf(value, 'blobVersionedHashes', readVersionedHash),
    authorizationList: listOf(value, 'authorizationList', readAuthorization),
    nonce: member('nonce', UINT64),
    strict: member('strict', FLAG),
  }
}
