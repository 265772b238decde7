import { limbs as stackLimbs, putLimbs, ensureLimbs } from '../interpreter/stack.ts'

// Constants of this module: see interpreter.ts.
const limbs = stackLimbs

/** A digit of a multiplication. */
const DIGIT = 16777216
const DIGIT_FRACTION = 1 / DIGIT

/**
 * a * b in digits of 24 bits, whose products and sums of eleven products are exact in doubles: fewer multiplications
 * than with the 16-bit halves that Math.imul would need.
 */
// oxlint-disable-next-line max-lines-per-function -- eleven unrolled columns of products, each two lines
export const multiplyDigits = (a: number, b: number, to: number): void => {
  ensureLimbs(a)
  ensureLimbs(b)
  const x = a << 3
  let k1 = limbs[x + 1]!
  let k2 = limbs[x + 2]!
  let k4 = limbs[x + 4]!
  let k5 = limbs[x + 5]!
  let k7 = limbs[x + 7]!
  const a0 = limbs[x]! & 0xffffff
  const a1 = (limbs[x]! >>> 24) | ((k1 & 0xffff) << 8)
  const a2 = (k1 >>> 16) | ((k2 & 0xff) << 16)
  const a3 = k2 >>> 8
  const a4 = limbs[x + 3]! & 0xffffff
  const a5 = (limbs[x + 3]! >>> 24) | ((k4 & 0xffff) << 8)
  const a6 = (k4 >>> 16) | ((k5 & 0xff) << 16)
  const a7 = k5 >>> 8
  const a8 = limbs[x + 6]! & 0xffffff
  const a9 = (limbs[x + 6]! >>> 24) | ((k7 & 0xffff) << 8)
  const a10 = k7 >>> 16
  const y = b << 3
  k1 = limbs[y + 1]!
  k2 = limbs[y + 2]!
  k4 = limbs[y + 4]!
  k5 = limbs[y + 5]!
  k7 = limbs[y + 7]!
  const b0 = limbs[y]! & 0xffffff
  const b1 = (limbs[y]! >>> 24) | ((k1 & 0xffff) << 8)
  const b2 = (k1 >>> 16) | ((k2 & 0xff) << 16)
  const b3 = k2 >>> 8
  const b4 = limbs[y + 3]! & 0xffffff
  const b5 = (limbs[y + 3]! >>> 24) | ((k4 & 0xffff) << 8)
  const b6 = (k4 >>> 16) | ((k5 & 0xff) << 16)
  const b7 = k5 >>> 8
  const b8 = limbs[y + 6]! & 0xffffff
  const b9 = (limbs[y + 6]! >>> 24) | ((k7 & 0xffff) << 8)
  const b10 = k7 >>> 16
  const c0 = a0 * b0
  const c1 = a0 * b1 + a1 * b0
  const c2 = a0 * b2 + a1 * b1 + a2 * b0
  const c3 = a0 * b3 + a1 * b2 + a2 * b1 + a3 * b0
  const c4 = a0 * b4 + a1 * b3 + a2 * b2 + a3 * b1 + a4 * b0
  const c5 = a0 * b5 + a1 * b4 + a2 * b3 + a3 * b2 + a4 * b1 + a5 * b0
  const c6 = a0 * b6 + a1 * b5 + a2 * b4 + a3 * b3 + a4 * b2 + a5 * b1 + a6 * b0
  const c7 = a0 * b7 + a1 * b6 + a2 * b5 + a3 * b4 + a4 * b3 + a5 * b2 + a6 * b1 + a7 * b0
  const c8 = a0 * b8 + a1 * b7 + a2 * b6 + a3 * b5 + a4 * b4 + a5 * b3 + a6 * b2 + a7 * b1 + a8 * b0
  const c9 = a0 * b9 + a1 * b8 + a2 * b7 + a3 * b6 + a4 * b5 + a5 * b4 + a6 * b3 + a7 * b2 + a8 * b1 + a9 * b0
  const c10 =
    a0 * b10 +
    a1 * b9 +
    a2 * b8 +
    a3 * b7 +
    a4 * b6 +
    a5 * b5 +
    a6 * b4 +
    a7 * b3 +
    a8 * b2 +
    a9 * b1 +
    a10 * b0
  const h0 = (c0 * DIGIT_FRACTION) | 0
  const h1 = (c1 * DIGIT_FRACTION) | 0
  const h2 = (c2 * DIGIT_FRACTION) | 0
  const h3 = (c3 * DIGIT_FRACTION) | 0
  const h4 = (c4 * DIGIT_FRACTION) | 0
  const h5 = (c5 * DIGIT_FRACTION) | 0
  const h6 = (c6 * DIGIT_FRACTION) | 0
  const h7 = (c7 * DIGIT_FRACTION) | 0
  const h8 = (c8 * DIGIT_FRACTION) | 0
  const h9 = (c9 * DIGIT_FRACTION) | 0
  const h10 = (c10 * DIGIT_FRACTION) | 0
  const d0 = (c0 - h0 * DIGIT) | 0
  const d1 = ((c1 - h1 * DIGIT) | 0) + h0
  const d2 = ((c2 - h2 * DIGIT) | 0) + h1 + (d1 >>> 24)
  const d3 = ((c3 - h3 * DIGIT) | 0) + h2 + (d2 >>> 24)
  const d4 = ((c4 - h4 * DIGIT) | 0) + h3 + (d3 >>> 24)
  const d5 = ((c5 - h5 * DIGIT) | 0) + h4 + (d4 >>> 24)
  const d6 = ((c6 - h6 * DIGIT) | 0) + h5 + (d5 >>> 24)
  const d7 = ((c7 - h7 * DIGIT) | 0) + h6 + (d6 >>> 24)
  const d8 = ((c8 - h8 * DIGIT) | 0) + h7 + (d7 >>> 24)
  const d9 = ((c9 - h9 * DIGIT) | 0) + h8 + (d8 >>> 24)
  const d10 = ((c10 - h10 * DIGIT) | 0) + h9 + (d9 >>> 24)
  putLimbs(
    to,
    d0 | (d1 << 24),
    ((d1 >>> 8) & 0xffff) | (d2 << 16),
    ((d2 >>> 16) & 0xff) | (d3 << 8),
    (d4 & 0xffffff) | (d5 << 24),
    ((d5 >>> 8) & 0xffff) | (d6 << 16),
    ((d6 >>> 16) & 0xff) | (d7 << 8),
    (d8 & 0xffffff) | (d9 << 24),
    ((d9 >>> 8) & 0xffff) | (d10 << 16),
  )
}
