import type { Address, Hash } from '../../../core/bytes/bytes.ts'
import { fromHex, HexError } from '../../../core/bytes/hex.ts'
import { bigintToFixedBytes } from '../../../core/bytes/integer.ts'
import { RpcError, type RpcErrorName } from '../errors.ts'
import type { Params } from '../method.ts'

const HEX_DIGITS = /^(?:0[xX])?([0-9a-fA-F]*)$/

/** The parameter, undefined where it is missing or null. */
export const given = (params: Params, index: number): unknown => params[index] ?? undefined

const hexDigits = (value: unknown): string | undefined =>
  typeof value === 'string' ? HEX_DIGITS.exec(value)?.[1] : undefined

/**
 * Besu's lenient integer: a string is hex with or without 0x ("10" is 16), a JSON integer counts as it is.
 * Undefined for anything else, and for more than `bits`.
 */
export const integerOf = (value: unknown, bits = 256): bigint | undefined => {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? BigInt(value) : undefined
  const digits = hexDigits(value)
  if (digits === undefined || digits === '') return undefined
  // Leading zeros may be as many as the sender likes, within what a 256-bit value written in full can have.
  if (digits.length > 64) return undefined
  const integer = BigInt(`0x${digits}`)
  return integer >> BigInt(bits) === 0n ? integer : undefined
}

/** A storage slot: as `integerOf`, and no digits at all are slot 0 (execution-apis: up to 32 bytes). */
export const slotOf = (value: unknown): bigint | undefined => (value === '0x' ? 0n : integerOf(value))

/** Besu's lenient address: 0x optional, fewer digits count as if zeros stood before them. Undefined for anything else. */
export const addressOf = (value: unknown): Address | undefined => {
  // As nearly all are written.
  if (typeof value === 'string' && value.length === 42 && value.startsWith('0x')) return bytesOf(value)
  const digits = hexDigits(value)
  if (digits === undefined || digits.length > 40) return undefined
  return digits.length === 40 ? fromHex(digits) : bigintToFixedBytes(BigInt(`0x${digits || '0'}`), 20)
}

/** Exactly 32 bytes, 0x optional. */
export const hashOf = (value: unknown): Hash | undefined => {
  const digits = hexDigits(value)
  return digits?.length === 64 ? fromHex(digits) : undefined
}

/** Bytes of an even number of hex digits, 0x optional. */
export const bytesOf = (value: unknown): Uint8Array | undefined => {
  if (typeof value !== 'string') return undefined
  try {
    return fromHex(value)
  } catch (error) {
    if (error instanceof HexError) return undefined
    throw error
  }
}

/** The value, or the refusal with that name. */
export const required = <T>(value: T | undefined, error: RpcErrorName): T => {
  if (value === undefined) throw new RpcError(error)
  return value
}

export const requireAddress = (params: Params, index: number): Address =>
  required(addressOf(given(params, index)), 'INVALID_ADDRESS')

export const requireCount = (params: Params, count: number): void => {
  // Besu counts a lone null as nothing.
  const actual = params.length === 1 && params[0] === null ? 0 : params.length
  if (actual !== count) throw new RpcError('INVALID_PARAM_COUNT')
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
