import type { Address, Hash } from '../../../core/bytes/bytes.ts'
import { fromHex, HexError } from '../../../core/bytes/hex.ts'
import { bigintToFixedBytes } from '../../../core/bytes/integer.ts'
import { RpcError, type RpcErrorName } from '../errors.ts'
import type { Params } from '../method.ts'

const HEX_DIGITS = /^(?:0[xX])?([0-9a-fA-F]*)$/

/** The parameter; undefined if it is missing or null. */
export const given = (params: Params, index: number): unknown => params[index] ?? undefined

const hexDigits = (value: unknown): string | undefined =>
  typeof value === 'string' ? HEX_DIGITS.exec(value)?.[1] : undefined

/**
 * Besu's lenient integer: a string is hex with or without 0x ("10" is 16), a JSON integer keeps its value. Undefined for
 * anything else, and for a value of more than `bits`.
 */
export const integerOf = (value: unknown, bits = 256): bigint | undefined => {
  if (typeof value === 'number')
    return Number.isSafeInteger(value) && value >= 0 && value < 2 ** bits ? BigInt(value) : undefined
  const digits = hexDigits(value)
  if (digits === undefined || digits === '') return undefined
  // Leading zeros are allowed up to the length of a 256-bit value with all its digits.
  if (digits.length > 64) return undefined
  const integer = BigInt(`0x${digits}`)
  return integer >> BigInt(bits) === 0n ? integer : undefined
}

const DECIMAL_DIGITS = /^[0-9]{1,78}$/

/**
 * An integer of the methods of a development chain, as anvil reads it: a string with 0x is hex, one without is decimal ("10"
 * is 10). Hardhat refuses the latter.
 */
export const decimalOrHexOf = (value: unknown, bits = 256): bigint | undefined => {
  if (typeof value !== 'string' || /^0[xX]/.test(value)) return integerOf(value, bits)
  if (!DECIMAL_DIGITS.test(value)) return undefined
  const integer = BigInt(value)
  return integer >> BigInt(bits) === 0n ? integer : undefined
}

/** A storage slot, only as a string: hex like `integerOf`; `0x` alone is slot 0 (execution-apis: up to 32 bytes). */
export const slotOf = (value: unknown): bigint | undefined => {
  if (typeof value !== 'string') return undefined
  return value === '0x' ? 0n : integerOf(value)
}

/** Besu's lenient address: 0x is optional, and missing leading digits are zeros. Undefined for anything else. */
export const addressOf = (value: unknown): Address | undefined => {
  const exact = exactAddressOf(value)
  if (exact !== undefined) return exact
  const digits = hexDigits(value)
  if (digits === undefined || digits === '' || digits.length > 40) return undefined
  return bigintToFixedBytes(BigInt(`0x${digits}`), 20)
}

/** An address with all 20 bytes; 0x is optional. */
export const exactAddressOf = (value: unknown): Address | undefined => {
  // The usual form.
  if (typeof value === 'string' && value.length === 42 && value.startsWith('0x')) return bytesOf(value)
  const digits = hexDigits(value)
  return digits?.length === 40 ? fromHex(digits) : undefined
}

/** Exactly 32 bytes with 0x. */
export const hashOf = (value: unknown): Hash | undefined =>
  typeof value === 'string' && value.startsWith('0x') ? bareHashOf(value) : undefined

/** Exactly 32 bytes; 0x is optional, as in Besu's parameters that take a number or a hash. */
export const bareHashOf = (value: unknown): Hash | undefined => {
  const digits = hexDigits(value)
  return digits?.length === 64 ? fromHex(digits) : undefined
}

/** Spellings of booleans that Besu's JSON library accepts. */
const FLAGS: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  [true, true],
  ['true', true],
  [1, true],
  [false, false],
  ['false', false],
  [0, false],
])

/** A boolean, the string `true` or `false`, or 1 or 0, as in Besu. Undefined for anything else. */
export const flagOf = (value: unknown): boolean | undefined => FLAGS.get(value)

/** Bytes: 0x and an even number of hex digits. */
export const prefixedBytesOf = (value: unknown): Uint8Array | undefined =>
  typeof value === 'string' && value.startsWith('0x') ? bytesOf(value) : undefined

/** Bytes: an even number of hex digits; 0x is optional. */
export const bytesOf = (value: unknown): Uint8Array | undefined => {
  if (typeof value !== 'string') return undefined
  try {
    return fromHex(value)
  } catch (error) {
    if (error instanceof HexError) return undefined
    throw error
  }
}

/** The value. @throws RpcError `error` if it is undefined */
export const required = <T>(value: T | undefined, error: RpcErrorName): T => {
  if (value === undefined) throw new RpcError(error)
  return value
}

export const requireAddress = (params: Params, index: number): Address =>
  required(addressOf(given(params, index)), 'INVALID_ADDRESS')

export const requireCount = (params: Params, count: number): void => {
  // Besu counts a single null as no parameter.
  const actual = params.length === 1 && params[0] === null ? 0 : params.length
  if (actual !== count)
    throw new RpcError('INVALID_PARAM_COUNT', { data: `${count} expected, not ${actual}` })
}

/** The index in the second parameter. @throws RpcError `error` */
export const requireIndex = (params: Params, error: RpcErrorName): number =>
  Number(required(integerOf(given(params, 1), 31), error))
