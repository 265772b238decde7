import { EMPTY_BYTES } from './bytes.ts'
import { fromHex, toBareHex } from './hex.ts'

/** Minimal big-endian bytes without leading zeros; zero has no bytes (RLP scalar form). */
export const bigintToBytes = (value: bigint): Uint8Array => {
  if (value === 0n) return EMPTY_BYTES
  if (value < 0x1_0000_0000n) {
    let rest = Number(value)
    let length = rest > 0xffffff ? 4 : rest > 0xffff ? 3 : rest > 0xff ? 2 : 1
    const bytes = new Uint8Array(length)
    while (length > 0) {
      bytes[--length] = rest & 0xff
      rest >>>= 8
    }
    return bytes
  }
  const hex = value.toString(16)
  return fromHex(hex.length % 2 === 0 ? hex : `0${hex}`)
}

/** Big-endian bytes of exactly `length`; the value must fit. */
export const bigintToFixedBytes = (value: bigint, length: number): Uint8Array => {
  const hex = value.toString(16)
  if (value < 0n || hex.length > 2 * length)
    throw new RangeError(`the integer does not fit into ${length} bytes`)
  return fromHex(hex.padStart(2 * length, '0'))
}

/** The address in the low 20 bytes of a word. */
export const addressOfWord = (word: bigint): Uint8Array => bigintToFixedBytes(BigInt.asUintN(160, word), 20)

/** Cached bigints: the nonces, prices and gas sums of some blocks. A power of two. */
const SHARED_MAX = 4096
const sharedNumbers = new Float64Array(SHARED_MAX)
const sharedBigints: bigint[] = Array.from({ length: SHARED_MAX }, () => 0n)

/**
 * The bigint of an integer from 0 to 2^48 - 1, shared with recent calls: chain ids, prices and gas sums repeat thousands of
 * times, and each separate bigint is an object for the garbage collector.
 */
export const sharedBigint = (value: number): bigint => {
  // Recent integers are often neighbours or equal; high bits distinguish round ones.
  const place = (value ^ (value / SHARED_MAX) ^ (value / 0x1_0000_0000)) & (SHARED_MAX - 1)
  if (sharedNumbers[place] !== value) {
    sharedNumbers[place] = value
    sharedBigints[place] = BigInt(value)
  }
  return sharedBigints[place] as bigint
}

/** Returns the shared bigint for integers from 0 to 2^48 - 1, others unchanged. */
export const shareBigint = (value: bigint): bigint =>
  value >= 0n && value < 0x1_0000_0000_0000n ? sharedBigint(Number(value)) : value

/** The unsigned big-endian integer in the bytes; no bytes are zero. */
export const bytesToBigint = (bytes: Uint8Array): bigint => {
  if (bytes.length === 0) return 0n
  if (bytes.length <= 6) {
    let value = 0
    for (let i = 0; i < bytes.length; i++) value = value * 256 + (bytes[i] as number)
    return sharedBigint(value)
  }
  return BigInt(`0x${toBareHex(bytes)}`)
}

export const minBigint = (a: bigint, b: bigint): bigint => (a < b ? a : b)
export const maxBigint = (a: bigint, b: bigint): bigint => (a > b ? a : b)
