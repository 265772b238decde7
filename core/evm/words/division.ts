import { limbs as stackLimbs, numbers as stackNumbers, putLimbs, ensureLimbs } from '../interpreter/stack.ts'
import { isNegative, negate } from './word.ts'

// Constants of this module: see interpreter.ts.
const limbs = stackLimbs
const numbers = stackNumbers

/**
 * Division by Knuth's algorithm D (The Art of Computer Programming 4.3.1) in digits of 24 bits held in doubles, where
 * every product and quotient estimate is exact. Operands as in word.ts.
 */

const BASE = 16777216
const WORD_DIGITS = 11
const NUMBER_MAX = Number.MAX_SAFE_INTEGER

const dividend = new Float64Array(2 * WORD_DIGITS + 2)
const divisor = new Float64Array(WORD_DIGITS + 1)
const quotient = new Float64Array(2 * WORD_DIGITS + 2)
const factor = new Float64Array(WORD_DIGITS)

/** Writes the 11 digits of an item, least significant first. */
const digitsOf = (i: number, digits: Float64Array): void => {
  ensureLimbs(i)
  const at = i << 3
  for (let k = 0, d = 0; k < 6; k += 3, d += 4) {
    const k0 = limbs[at + k]!
    const k1 = limbs[at + k + 1]!
    const k2 = limbs[at + k + 2]!
    digits[d] = k0 & 0xffffff
    digits[d + 1] = (k0 >>> 24) | ((k1 & 0xffff) << 8)
    digits[d + 2] = (k1 >>> 16) | ((k2 & 0xff) << 16)
    digits[d + 3] = k2 >>> 8
  }
  const k6 = limbs[at + 6]!
  const k7 = limbs[at + 7]!
  digits[8] = k6 & 0xffffff
  digits[9] = (k6 >>> 24) | ((k7 & 0xffff) << 8)
  digits[10] = k7 >>> 16
}

/** Puts the word of the lowest 11 digits. */
const putDigits = (digits: Float64Array, to: number): void => {
  const d1 = digits[1]! | 0
  const d2 = digits[2]! | 0
  const d5 = digits[5]! | 0
  const d6 = digits[6]! | 0
  const d9 = digits[9]! | 0
  putLimbs(
    to,
    digits[0]! | 0 | (d1 << 24),
    (d1 >>> 8) | (d2 << 16),
    (d2 >>> 16) | ((digits[3]! | 0) << 8),
    digits[4]! | 0 | (d5 << 24),
    (d5 >>> 8) | (d6 << 16),
    (d6 >>> 16) | ((digits[7]! | 0) << 8),
    digits[8]! | 0 | (d9 << 24),
    (d9 >>> 8) | ((digits[10]! | 0) << 16),
  )
}

const significant = (digits: Float64Array, length: number): number => {
  let count = length
  while (count > 0 && digits[count - 1] === 0) count--
  return count
}

/**
 * Divides `dividend` (of `length` digits, at most 23) by `divisor`, which is not zero: leaves the quotient in `quotient`
 * and the remainder in the lowest 11 digits of `dividend`.
 */
const divideDigits = (length: number): void => {
  quotient.fill(0)
  const n = significant(divisor, WORD_DIGITS)
  const m = significant(dividend, length)
  if (m < n) return
  if (n === 1) {
    divideByDigit(m)
    return
  }
  const scale = 2 ** (Math.clz32(divisor[n - 1]!) - 8)
  scaleUp(divisor, n, scale)
  dividend[m] = scaleUp(dividend, m, scale)
  const top = divisor[n - 1]!
  const next = divisor[n - 2]!
  for (let j = m - n; j >= 0; j--) {
    const ahead = dividend[j + n]! * BASE + dividend[j + n - 1]!
    let digit = Math.floor(ahead / top)
    let rest = ahead - digit * top
    while (digit >= BASE || digit * next > rest * BASE + dividend[j + n - 2]!) {
      digit--
      rest += top
      if (rest >= BASE) break
    }
    let borrow = 0
    for (let i = 0; i < n; i++) {
      const difference = dividend[i + j]! - digit * divisor[i]! - borrow
      borrow = -Math.floor(difference / BASE)
      dividend[i + j] = difference + borrow * BASE
    }
    const last = dividend[j + n]! - borrow
    dividend[j + n] = last
    if (last < 0) {
      digit--
      addBack(j, n)
    }
    quotient[j] = digit
  }
  scaleDown(n, scale)
}

const divideByDigit = (m: number): void => {
  const digitDivisor = divisor[0]!
  let rest = 0
  for (let i = m - 1; i >= 0; i--) {
    const ahead = rest * BASE + dividend[i]!
    const digit = Math.floor(ahead / digitDivisor)
    quotient[i] = digit
    rest = ahead - digit * digitDivisor
    dividend[i] = 0
  }
  dividend[0] = rest
}

const scaleUp = (digits: Float64Array, length: number, scale: number): number => {
  let carry = 0
  for (let i = 0; i < length; i++) {
    const scaled = digits[i]! * scale + carry
    carry = Math.floor(scaled / BASE)
    digits[i] = scaled - carry * BASE
  }
  return carry
}

/** Divides the remainder of n digits by the scale, and clears the digits above it. */
const scaleDown = (n: number, scale: number): void => {
  let rest = 0
  for (let i = n - 1; i >= 0; i--) {
    const ahead = rest * BASE + dividend[i]!
    const digit = Math.floor(ahead / scale)
    rest = ahead - digit * scale
    dividend[i] = digit
  }
  dividend.fill(0, n)
}

const addBack = (j: number, n: number): void => {
  let carry = 0
  for (let i = 0; i < n; i++) {
    const sum = dividend[i + j]! + divisor[i]! + carry
    carry = sum >= BASE ? 1 : 0
    dividend[i + j] = sum - carry * BASE
  }
  dividend[j + n] = dividend[j + n]! + carry
}

const loadOperands = (a: number, b: number): void => {
  dividend.fill(0)
  digitsOf(a, dividend)
  digitsOf(b, divisor)
}

/** a / b; zero when b is zero. */
export const divide = (a: number, b: number, to: number): void => {
  const m = numbers[a]!
  const n = numbers[b]!
  if (n === 0) numbers[to] = 0
  else if (m === m && n === n) numbers[to] = Math.floor(m / n)
  else {
    loadOperands(a, b)
    divideDigits(WORD_DIGITS)
    putDigits(quotient, to)
  }
}

/** a modulo b; zero when b is zero. */
export const remainder = (a: number, b: number, to: number): void => {
  const m = numbers[a]!
  const n = numbers[b]!
  if (n === 0) numbers[to] = 0
  else if (m === m && n === n) numbers[to] = m - Math.floor(m / n) * n
  else {
    loadOperands(a, b)
    divideDigits(WORD_DIGITS)
    putDigits(dividend, to)
  }
}

/** Signed a / b, rounded towards zero; overwrites both operands. */
export const divideSigned = (a: number, b: number, to: number): void => {
  const negativeA = isNegative(a)
  const negativeB = isNegative(b)
  if (negativeA) negate(a)
  if (negativeB) negate(b)
  divide(a, b, to)
  if (negativeA !== negativeB) negate(to)
}

/** Signed a modulo b, with the sign of a; overwrites both operands. */
export const remainderSigned = (a: number, b: number, to: number): void => {
  const negative = isNegative(a)
  if (negative) negate(a)
  if (isNegative(b)) negate(b)
  remainder(a, b, to)
  if (negative) negate(to)
}

/** (a + b) modulo m of the untruncated sum; zero when m is zero. */
export const addModulo = (a: number, b: number, m: number, to: number): void => {
  const sum = numbers[a]! + numbers[b]!
  const modulus = numbers[m]!
  if (modulus === 0) numbers[to] = 0
  else if (sum <= NUMBER_MAX && modulus === modulus) numbers[to] = sum - Math.floor(sum / modulus) * modulus
  else {
    loadOperands(a, m)
    digitsOf(b, factor)
    let carry = 0
    for (let i = 0; i < WORD_DIGITS; i++) {
      const digit = dividend[i]! + factor[i]! + carry
      carry = digit >= BASE ? 1 : 0
      dividend[i] = digit - carry * BASE
    }
    dividend[WORD_DIGITS] = carry
    divideDigits(WORD_DIGITS + 1)
    putDigits(dividend, to)
  }
}

/** a * b modulo m of the untruncated product; zero when m is zero. */
export const multiplyModulo = (a: number, b: number, m: number, to: number): void => {
  const product = numbers[a]! * numbers[b]!
  const modulus = numbers[m]!
  if (modulus === 0) numbers[to] = 0
  else if (product <= NUMBER_MAX && modulus === modulus)
    numbers[to] = product - Math.floor(product / modulus) * modulus
  else {
    digitsOf(a, quotient)
    digitsOf(b, factor)
    digitsOf(m, divisor)
    multiplyDigits()
    divideDigits(2 * WORD_DIGITS)
    putDigits(dividend, to)
  }
}

/** dividend = quotient * factor; a column sums at most 11 products below 2^48 and a carry, which a double holds. */
const multiplyDigits = (): void => {
  dividend.fill(0)
  let carry = 0
  for (let k = 0; k < 2 * WORD_DIGITS; k++) {
    let column = carry
    const last = k < WORD_DIGITS ? k : WORD_DIGITS - 1
    for (let i = k < WORD_DIGITS ? 0 : k - WORD_DIGITS + 1; i <= last; i++)
      column += quotient[i]! * factor[k - i]!
    carry = Math.floor(column / BASE)
    dividend[k] = column - carry * BASE
  }
}
