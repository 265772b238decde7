import { toBareHex } from '../../../bytes/hex.ts'
import type { Steps } from '../../../steps.ts'

/*
 * Arithmetic on integers of millions of bits, in steps. Digits are bigints whose product or quotient takes microseconds,
 * far below the largest bigint of every runtime (2^20 bits on Bun).
 */
const DIGIT_BITS = 4096
const DIGIT_BYTES = DIGIT_BITS / 8
const SHIFT = BigInt(DIGIT_BITS)
const BASE = 1n << SHIFT
const MASK = BASE - 1n

/** Products and sums of digits between two steps: about a millisecond. */
const DIGITS_AT_ONCE = 128

/** Digits, the least significant first; the last one is not zero. */
export type Digits = readonly bigint[]

const trimmed = (digits: bigint[]): bigint[] => {
  while (digits.length > 0 && digits[digits.length - 1] === 0n) digits.pop()
  return digits
}

const digitOfBytes = (bytes: Uint8Array): bigint => BigInt(`0x0${toBareHex(bytes)}`)

/** The digits of a big-endian integer of `length` bytes: `bytes`, then zeros. */
export function* digitsOf(bytes: Uint8Array, length: number): Steps<Digits> {
  const digits: bigint[] = []
  for (let end = length; end > 0; end -= DIGIT_BYTES) {
    const start = Math.max(0, end - DIGIT_BYTES)
    const available = bytes.subarray(Math.min(start, bytes.length), Math.min(end, bytes.length))
    digits.push(
      available.length === 0 ? 0n : digitOfBytes(available) << BigInt(8 * (end - start - available.length)),
    )
    if (digits.length % DIGITS_AT_ONCE === 0) yield
  }
  return trimmed(digits)
}

/** The integer as `length` big-endian bytes; it must fit. */
export function* bytesOfDigits(digits: Digits, length: number): Steps<Uint8Array> {
  const bytes = new Uint8Array(length)
  for (let i = 0; i < digits.length; i++) {
    const hex = (digits[i] as bigint).toString(16).padStart(2 * DIGIT_BYTES, '0')
    const end = length - i * DIGIT_BYTES
    for (let k = 0; k < DIGIT_BYTES; k++) {
      const at = end - 1 - k
      if (at < 0) break
      bytes[at] = Number.parseInt(hex.slice(hex.length - 2 * k - 2, hex.length - 2 * k), 16)
    }
    if (i % DIGITS_AT_ONCE === DIGITS_AT_ONCE - 1) yield
  }
  return bytes
}

export function* multiplySteps(a: Digits, b: Digits): Steps<Digits> {
  const product: bigint[] = Array.from({ length: a.length + b.length }, () => 0n)
  let done = 0
  for (let i = 0; i < a.length; i++) {
    let carry = 0n
    for (let k = 0; k < b.length; k++) {
      const sum = (product[i + k] as bigint) + (a[i] as bigint) * (b[k] as bigint) + carry
      product[i + k] = sum & MASK
      carry = sum >> SHIFT
      if (++done % DIGITS_AT_ONCE === 0) yield
    }
    product[i + b.length] = carry
  }
  return trimmed(product)
}

function* shiftedUp(digits: Digits, bits: bigint): Steps<bigint[]> {
  const shifted: bigint[] = []
  let carry = 0n
  for (const digit of digits) {
    const wide = (digit << bits) | carry
    shifted.push(wide & MASK)
    carry = wide >> SHIFT
    if (shifted.length % DIGITS_AT_ONCE === 0) yield
  }
  shifted.push(carry)
  return shifted
}

function* shiftedDown(digits: Digits, bits: bigint): Steps<bigint[]> {
  const shifted: bigint[] = []
  for (let i = 0; i < digits.length; i++) {
    shifted.push(((digits[i] as bigint) >> bits) | (((digits[i + 1] ?? 0n) << (SHIFT - bits)) & MASK))
    if (i % DIGITS_AT_ONCE === 0) yield
  }
  return trimmed(shifted)
}

/** Subtracts `divisor` times `factor` from the digits of `rest` from `at` on; true when the result is negative. */
function* subtractTimes(rest: bigint[], divisor: Digits, factor: bigint, at: number): Steps<boolean> {
  let borrow = 0n
  for (let k = 0; k < divisor.length; k++) {
    const difference = (rest[at + k] as bigint) - factor * (divisor[k] as bigint) - borrow
    rest[at + k] = difference & MASK
    borrow = -(difference >> SHIFT)
    if (k % DIGITS_AT_ONCE === DIGITS_AT_ONCE - 1) yield
  }
  const top = (rest[at + divisor.length] as bigint) - borrow
  rest[at + divisor.length] = top & MASK
  return top < 0n
}

function* addBack(rest: bigint[], divisor: Digits, at: number): Steps<void> {
  let carry = 0n
  for (let k = 0; k < divisor.length; k++) {
    const sum = (rest[at + k] as bigint) + (divisor[k] as bigint) + carry
    rest[at + k] = sum & MASK
    carry = sum >> SHIFT
    if (k % DIGITS_AT_ONCE === DIGITS_AT_ONCE - 1) yield
  }
  rest[at + divisor.length] = ((rest[at + divisor.length] as bigint) + carry) & MASK
}

/** `a` modulo a divisor that is not zero: long division (Knuth, The Art of Computer Programming, 4.3.1, algorithm D). */
export function* moduloSteps(a: Digits, divisor: Digits): Steps<Digits> {
  const top = divisor[divisor.length - 1]
  if (top === undefined) throw new RangeError('division by zero')
  if (divisor.length === 1) {
    let rest = 0n
    for (let i = a.length - 1; i >= 0; i--) {
      rest = ((rest << SHIFT) | (a[i] as bigint)) % top
      if (i % DIGITS_AT_ONCE === 0) yield
    }
    return rest === 0n ? [] : [rest]
  }
  if (a.length < divisor.length) return a
  // With the highest bit of the divisor set, an estimate of a quotient's digit is at most two too large.
  const bits = SHIFT - BigInt(top.toString(2).length)
  const v = trimmed(yield* shiftedUp(divisor, bits))
  const rest = yield* shiftedUp(a, bits)
  const v1 = v[v.length - 1] as bigint
  const v2 = v[v.length - 2] as bigint
  for (let at = rest.length - 1 - v.length; at >= 0; at--) {
    const high = ((rest[at + v.length] as bigint) << SHIFT) | (rest[at + v.length - 1] as bigint)
    let quotient = high / v1
    let remainder = high - quotient * v1
    while (
      remainder < BASE &&
      (quotient >= BASE || quotient * v2 > ((remainder << SHIFT) | (rest[at + v.length - 2] as bigint)))
    ) {
      quotient--
      remainder += v1
    }
    if (yield* subtractTimes(rest, v, quotient, at)) yield* addBack(rest, v, at)
    yield
  }
  return yield* shiftedDown(trimmed(rest), bits)
}
