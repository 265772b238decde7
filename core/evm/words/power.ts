import { copyItem, limbs, numbers, ensureLimbs } from '../interpreter/stack.ts'
import { multiply } from './word.ts'

const NUMBER_MAX = Number.MAX_SAFE_INTEGER

/** EXP by squaring, modulo 2^256; uses the two items above `scratch`. */
export const power = (base: number, exponent: number, to: number, scratch: number): void => {
  const e = numbers[exponent]!
  if (e === e && numbers[base] === numbers[base]) {
    const small = numbers[base]! ** e
    // `**` of doubles is not exact in general; it is for base two and for the exponents 0 and 1.
    if (small <= NUMBER_MAX && (numbers[base] === 2 || e < 2)) {
      numbers[to] = small
      return
    }
  }
  ensureLimbs(exponent)
  const square = scratch + 1
  const result = scratch + 2
  copyItem(base, square)
  numbers[result] = 1
  let top = 7
  const at = exponent << 3
  while (top > 0 && limbs[at + top] === 0) top--
  const bits = 32 * top + 32 - Math.clz32(limbs[at + top]!)
  for (let bit = 0; bit < bits; bit++) {
    if (((limbs[at + (bit >>> 5)]! >>> (bit & 31)) & 1) === 1) multiply(result, square, result)
    if (bit + 1 < bits) multiply(square, square, square)
  }
  copyItem(result, to)
}
