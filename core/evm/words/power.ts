import { copyItem, limbs, num, spread } from '../interpreter/stack.ts'
import { multiply } from './word.ts'

const NUMBER_MAX = Number.MAX_SAFE_INTEGER

/** EXP by squaring, modulo 2^256; uses the two places above `scratch`. */
export const power = (base: number, exponent: number, to: number, scratch: number): void => {
  const e = num[exponent]!
  if (e === e && num[base] === num[base]) {
    const small = num[base]! ** e
    // Powers that a double can hold are exact only as products of exact products; two is the common exception.
    if (small <= NUMBER_MAX && (num[base] === 2 || e < 2)) {
      num[to] = small
      return
    }
  }
  spread(exponent)
  const square = scratch + 1
  const result = scratch + 2
  copyItem(base, square)
  num[result] = 1
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
