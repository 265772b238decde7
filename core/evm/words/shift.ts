import {
  highOf,
  limbs as stackLimbs,
  lowOf,
  numbers as stackNumbers,
  putLimbs,
  canonicalize,
  ensureLimbs,
} from '../interpreter/stack.ts'
import { isNegative } from './word.ts'
import { copyWord } from '../../state/limbs.ts'

// Constants of this module: see interpreter.ts.
const limbs = stackLimbs
const numbers = stackNumbers

/** Shifts and the other operations on single bits and bytes; operands as in word.ts. */

const NUMBER_MAX = Number.MAX_SAFE_INTEGER
const WORD_BITS = 256

const scratch = new Int32Array(8)

const POWERS_OF_TWO = Float64Array.from({ length: WORD_BITS }, (_, bits) => 2 ** bits)

/** EIP-145 SHL: value << shift. */
export const shiftLeft = (shift: number, value: number, to: number): void => {
  const bits = numbers[shift]!
  if (!(bits < WORD_BITS)) {
    numbers[to] = 0
    return
  }
  const n = numbers[value]!
  const shifted = n * POWERS_OF_TWO[bits]!
  if (shifted <= NUMBER_MAX) {
    numbers[to] = shifted
    return
  }
  ensureLimbs(value)
  const at = value << 3
  const whole = bits >>> 5
  const part = bits & 31
  for (let i = 7; i >= 0; i--) {
    const from = i - whole
    if (from < 0) scratch[i] = 0
    else if (part === 0) scratch[i] = limbs[at + from]!
    else scratch[i] = (limbs[at + from]! << part) | (from > 0 ? limbs[at + from - 1]! >>> (32 - part) : 0)
  }
  copyWord(scratch, 0, limbs, to << 3)
  canonicalize(to)
}

/** EIP-145 SHR: value >> shift, without the sign. */
export const shiftRight = (shift: number, value: number, to: number): void => {
  const bits = numbers[shift]!
  if (!(bits < WORD_BITS)) {
    numbers[to] = 0
    return
  }
  const n = numbers[value]!
  if (n === n) numbers[to] = Math.floor(n / POWERS_OF_TWO[bits]!)
  else shiftLimbsRight(bits, value, to, 0)
}

/** EIP-145 SAR: value >> shift with the sign. */
export const shiftRightSigned = (shift: number, value: number, to: number): void => {
  if (!isNegative(value)) shiftRight(shift, value, to)
  else shiftLimbsRight(numbers[shift]! < WORD_BITS ? numbers[shift]! : WORD_BITS - 1, value, to, -1)
}

const shiftLimbsRight = (bits: number, value: number, to: number, fill: number): void => {
  const at = value << 3
  const whole = bits >>> 5
  const part = bits & 31
  for (let i = 0; i < 8; i++) {
    const from = i + whole
    const lower = from < 8 ? limbs[at + from]! : fill
    const upper = from < 7 ? limbs[at + from + 1]! : fill
    scratch[i] = part === 0 ? lower : (lower >>> part) | (upper << (32 - part))
  }
  putLimbs(
    to,
    scratch[0]!,
    scratch[1]!,
    scratch[2]!,
    scratch[3]!,
    scratch[4]!,
    scratch[5]!,
    scratch[6]!,
    scratch[7]!,
  )
}

/** BYTE: the byte of the word counted from the most significant one. */
export const byteOf = (position: number, value: number, to: number): void => {
  const p = numbers[position]!
  if (!(p < 32)) {
    numbers[to] = 0
    return
  }
  const fromEnd = 31 - p
  ensureLimbs(value)
  numbers[to] = (limbs[(value << 3) + (fromEnd >>> 2)]! >>> ((fromEnd & 3) << 3)) & 0xff
}

/** SIGNEXTEND: repeats the sign bit of the integer of `size + 1` bytes upward. */
export const signExtend = (size: number, value: number, to: number): void => {
  const s = numbers[size]!
  ensureLimbs(value)
  const at = value << 3
  const toAt = to << 3
  for (let i = 0; i < 8; i++) limbs[toAt + i] = limbs[at + i]!
  if (s < 31) {
    const signBit = 8 * s + 7
    const last = signBit >>> 5
    const shift = 31 - (signBit & 31)
    limbs[toAt + last] = (limbs[toAt + last]! << shift) >> shift
    const fill = limbs[toAt + last]! < 0 ? -1 : 0
    for (let i = last + 1; i < 8; i++) limbs[toAt + i] = fill
  }
  canonicalize(to)
}

/** EIP-7939 CLZ: the number of zero bits above the highest set bit; 256 for zero. */
export const leadingZeros = (i: number): void => {
  const n = numbers[i]!
  if (n === n) {
    const high = highOf(n)
    numbers[i] = 192 + (high !== 0 ? Math.clz32(high) : 32 + Math.clz32(lowOf(n)))
    return
  }
  let zeros = 0
  for (let at = (i << 3) + 7; at >= i << 3; at--) {
    const limb = limbs[at]!
    if (limb !== 0) {
      numbers[i] = zeros + Math.clz32(limb)
      return
    }
    zeros += 32
  }
}

/** Length of the item in bytes without leading zeros, which the gas of EXP depends on. */
export const byteLength = (i: number): number => {
  const n = numbers[i]!
  if (n === 0) return 0
  ensureLimbs(i)
  for (let k = 7; k >= 0; k--) {
    const limb = limbs[(i << 3) + k]!
    if (limb !== 0) return 4 * k + ((39 - Math.clz32(limb)) >>> 3)
  }
  return 0
}
