import { multiplyDigits } from './multiplyDigits.ts'
import {
  highOf,
  limbs as stackLimbs,
  lowOf,
  nativeMultiply,
  numbers as stackNumbers,
  putLimbs,
  canonicalize,
  ensureLimbs,
} from '../interpreter/stack.ts'

// Constants of this module: see interpreter.ts.
const limbs = stackLimbs
const numbers = stackNumbers

/**
 * Arithmetic on stack items, for the cases that the interpreter cannot compute with numbers. Operands are indexes in the
 * stack. Every function also accepts small items, and writes its result in canonical form to `to`.
 */

const NUMBER_MAX = Number.MAX_SAFE_INTEGER
const LIMB_MAX = 0xffffffff

export const add = (a: number, b: number, to: number): void => {
  ensureLimbs(a)
  ensureLimbs(b)
  const x = a << 3
  const y = b << 3
  let sum = (limbs[x]! >>> 0) + (limbs[y]! >>> 0)
  const s0 = sum | 0
  sum = (limbs[x + 1]! >>> 0) + (limbs[y + 1]! >>> 0) + (sum > LIMB_MAX ? 1 : 0)
  const s1 = sum | 0
  sum = (limbs[x + 2]! >>> 0) + (limbs[y + 2]! >>> 0) + (sum > LIMB_MAX ? 1 : 0)
  const s2 = sum | 0
  sum = (limbs[x + 3]! >>> 0) + (limbs[y + 3]! >>> 0) + (sum > LIMB_MAX ? 1 : 0)
  const s3 = sum | 0
  sum = (limbs[x + 4]! >>> 0) + (limbs[y + 4]! >>> 0) + (sum > LIMB_MAX ? 1 : 0)
  const s4 = sum | 0
  sum = (limbs[x + 5]! >>> 0) + (limbs[y + 5]! >>> 0) + (sum > LIMB_MAX ? 1 : 0)
  const s5 = sum | 0
  sum = (limbs[x + 6]! >>> 0) + (limbs[y + 6]! >>> 0) + (sum > LIMB_MAX ? 1 : 0)
  const s6 = sum | 0
  sum = (limbs[x + 7]! >>> 0) + (limbs[y + 7]! >>> 0) + (sum > LIMB_MAX ? 1 : 0)
  const s7 = sum | 0
  putLimbs(to, s0, s1, s2, s3, s4, s5, s6, s7)
}

/** a - b */
export const subtract = (a: number, b: number, to: number): void => {
  ensureLimbs(a)
  ensureLimbs(b)
  const x = a << 3
  const y = b << 3
  let difference = (limbs[x]! >>> 0) - (limbs[y]! >>> 0)
  const d0 = difference | 0
  difference = (limbs[x + 1]! >>> 0) - (limbs[y + 1]! >>> 0) - (difference < 0 ? 1 : 0)
  const d1 = difference | 0
  difference = (limbs[x + 2]! >>> 0) - (limbs[y + 2]! >>> 0) - (difference < 0 ? 1 : 0)
  const d2 = difference | 0
  difference = (limbs[x + 3]! >>> 0) - (limbs[y + 3]! >>> 0) - (difference < 0 ? 1 : 0)
  const d3 = difference | 0
  difference = (limbs[x + 4]! >>> 0) - (limbs[y + 4]! >>> 0) - (difference < 0 ? 1 : 0)
  const d4 = difference | 0
  difference = (limbs[x + 5]! >>> 0) - (limbs[y + 5]! >>> 0) - (difference < 0 ? 1 : 0)
  const d5 = difference | 0
  difference = (limbs[x + 6]! >>> 0) - (limbs[y + 6]! >>> 0) - (difference < 0 ? 1 : 0)
  const d6 = difference | 0
  difference = (limbs[x + 7]! >>> 0) - (limbs[y + 7]! >>> 0) - (difference < 0 ? 1 : 0)
  const d7 = difference | 0
  putLimbs(to, d0, d1, d2, d3, d4, d5, d6, d7)
}

/** Two's complement of the limbs in place. */
export const negate = (i: number): void => {
  ensureLimbs(i)
  const at = i << 3
  let carry = 1
  for (let k = 0; k < 8; k++) {
    const sum = (~limbs[at + k]! >>> 0) + carry
    carry = sum > 0xffffffff ? 1 : 0
    limbs[at + k] = sum
  }
  canonicalize(i)
}

export const isNegative = (i: number): boolean => {
  const n = numbers[i]!
  return n !== n && limbs[(i << 3) + 7]! < 0
}

export const lessThan = (a: number, b: number): boolean => {
  const m = numbers[a]!
  const n = numbers[b]!
  if (m === m) return n === n ? m < n : true
  if (n === n) return false
  for (let x = (a << 3) + 7, y = (b << 3) + 7; x >= a << 3; x--, y--) {
    const p = limbs[x]!
    const q = limbs[y]!
    if (p !== q) return p >>> 0 < q >>> 0
  }
  return false
}

export const signedLessThan = (a: number, b: number): boolean => {
  const negative = isNegative(a)
  return negative === isNegative(b) ? lessThan(a, b) : negative
}

export const equal = (a: number, b: number): boolean => {
  const m = numbers[a]!
  const n = numbers[b]!
  if (m === m || n === n) return m === n
  for (let x = a << 3, y = b << 3, end = x + 8; x < end; x++, y++) if (limbs[x] !== limbs[y]) return false
  return true
}

const low = (i: number): number => {
  const n = numbers[i]!
  return n === n ? lowOf(n) : limbs[i << 3]!
}

const high = (i: number): number => {
  const n = numbers[i]!
  return n === n ? highOf(n) : limbs[(i << 3) + 1]!
}

export const and = (a: number, b: number, to: number): void => {
  const m = numbers[a]!
  const n = numbers[b]!
  if (m === m || n === n) {
    numbers[to] = (high(a) & high(b)) * 4294967296 + ((low(a) & low(b)) >>> 0)
    return
  }
  const x = a << 3
  const y = b << 3
  putLimbs(
    to,
    limbs[x]! & limbs[y]!,
    limbs[x + 1]! & limbs[y + 1]!,
    limbs[x + 2]! & limbs[y + 2]!,
    limbs[x + 3]! & limbs[y + 3]!,
    limbs[x + 4]! & limbs[y + 4]!,
    limbs[x + 5]! & limbs[y + 5]!,
    limbs[x + 6]! & limbs[y + 6]!,
    limbs[x + 7]! & limbs[y + 7]!,
  )
}

export const or = (a: number, b: number, to: number): void => {
  ensureLimbs(a)
  ensureLimbs(b)
  const x = a << 3
  const y = b << 3
  const z = to << 3
  for (let i = 0; i < 8; i++) limbs[z + i] = limbs[x + i]! | limbs[y + i]!
  canonicalize(to)
}

export const xor = (a: number, b: number, to: number): void => {
  ensureLimbs(a)
  ensureLimbs(b)
  const x = a << 3
  const y = b << 3
  const z = to << 3
  for (let i = 0; i < 8; i++) limbs[z + i] = limbs[x + i]! ^ limbs[y + i]!
  canonicalize(to)
}

export const not = (i: number): void => {
  ensureLimbs(i)
  const at = i << 3
  for (let k = 0; k < 8; k++) limbs[at + k] = ~limbs[at + k]!
  canonicalize(i)
}

export const multiply = (a: number, b: number, to: number): void => {
  const product = numbers[a]! * numbers[b]!
  if (product <= NUMBER_MAX) {
    numbers[to] = product
    return
  }
  if (nativeMultiply === undefined) {
    multiplyDigits(a, b, to)
    return
  }
  ensureLimbs(a)
  ensureLimbs(b)
  if (nativeMultiply(a << 5, b << 5, to << 5) === 0) canonicalize(to)
  else numbers[to] = Number.NaN
}
