import { assign, type Emitter, get, isZero, type Limb, type Word, wordOf, ZERO } from './emitter.ts'
import { code, signed } from '../../wasm/encode.ts'
import { WASM } from '../../wasm/instructions.ts'

const LOW_BITS = [WASM.i64Const, ...signed(0xffffffffn), WASM.i64And]
const HIGH_BITS = [WASM.i64Const, 32, WASM.i64ShrU]

/** An instruction with two operands, of which `a` is the top of the stack. */
export type Binary = (emitter: Emitter, a: Word, b: Word) => Word
export type Unary = (emitter: Emitter, a: Word) => Word

/** The sum of two limbs, and 1 where it overflows. */
const addLimbs = (emitter: Emitter, a: Limb, b: Limb): readonly [sum: Limb, carry: Limb] => {
  if (isZero(a)) return [b, ZERO]
  if (isZero(b)) return [a, ZERO]
  const sum = assign(emitter, ...get(a), ...get(b), WASM.i64Add)
  return [sum, assign(emitter, ...get(sum), ...get(b), WASM.i64LtU, WASM.i64ExtendI32U)]
}

/** The sum of limbs, without a carry. */
const addAll = (emitter: Emitter, limbs: readonly Limb[]): Limb => {
  const [first = ZERO, ...rest] = limbs.filter(limb => !isZero(limb))
  if (rest.length === 0) return first
  return assign(emitter, ...get(first), ...rest.flatMap(limb => [...get(limb), WASM.i64Add]))
}

/** The sum of limbs, and the number of its overflows. */
const addCounting = (emitter: Emitter, limbs: readonly Limb[]): readonly [sum: Limb, carries: Limb] => {
  let sum: Limb = ZERO
  const carries: Limb[] = []
  for (const limb of limbs) {
    const [next, carry] = addLimbs(emitter, sum, limb)
    sum = next
    carries.push(carry)
  }
  return [sum, addAll(emitter, carries)]
}

export const add: Binary = (emitter, a, b) => {
  const [s0, c0] = addLimbs(emitter, a[0], b[0])
  const [s1, c1] = addCounting(emitter, [a[1], b[1], c0])
  const [s2, c2] = addCounting(emitter, [a[2], b[2], c1])
  return [s0, s1, s2, addAll(emitter, [a[3], b[3], c2])]
}

/** a - b - borrow, and 1 where it is below zero. */
const subtractLimbs = (emitter: Emitter, a: Limb, b: Limb, borrow: Limb): readonly [Limb, Limb] => {
  const first = assign(emitter, ...get(a), ...get(b), WASM.i64Sub)
  const below = assign(emitter, ...get(a), ...get(b), WASM.i64LtU, WASM.i64ExtendI32U)
  if (isZero(borrow)) return [first, below]
  const second = assign(emitter, ...get(first), ...get(borrow), WASM.i64Sub)
  const alsoBelow = [...get(first), ...get(borrow), WASM.i64LtU, WASM.i64ExtendI32U]
  return [second, assign(emitter, ...alsoBelow, ...get(below), WASM.i64Or)]
}

export const subtract: Binary = (emitter, a, b) => {
  const [d0, b0] = subtractLimbs(emitter, a[0], b[0], ZERO)
  const [d1, b1] = subtractLimbs(emitter, a[1], b[1], b0)
  const [d2, b2] = subtractLimbs(emitter, a[2], b[2], b1)
  const [d3] = subtractLimbs(emitter, a[3], b[3], b2)
  return [d0, d1, d2, d3]
}

type Halves = readonly [low: Limb, high: Limb]

const halvesOf = (emitter: Emitter, limb: Limb): Halves =>
  'constant' in limb
    ? [{ constant: limb.constant & 0xffffffffn }, { constant: limb.constant >> 32n }]
    : [assign(emitter, ...get(limb), ...LOW_BITS), assign(emitter, ...get(limb), ...HIGH_BITS)]

/** The upper 64 bits of the product of two limbs. */
const upperProduct = (emitter: Emitter, [a0, a1]: Halves, [b0, b1]: Halves): Limb => {
  const product = (a: Limb, b: Limb): number[] => [...get(a), ...get(b), WASM.i64Mul]
  // (2^32 - 1)^2 + 2^32 - 1 is below 2^64.
  const middle = assign(emitter, ...product(a1, b0), ...product(a0, b0), ...HIGH_BITS, WASM.i64Add)
  const lower = [...get(middle), ...LOW_BITS, ...product(a0, b1), WASM.i64Add, ...HIGH_BITS]
  const upper = [...product(a1, b1), ...get(middle), ...HIGH_BITS, WASM.i64Add]
  return assign(emitter, ...upper, ...lower, WASM.i64Add)
}

export const multiply: Binary = (emitter, a, b) => {
  const halvesOfA = a.slice(0, 3).map(limb => halvesOf(emitter, limb))
  const halvesOfB = b.slice(0, 3).map(limb => halvesOf(emitter, limb))
  /** The terms to add, by limb of the product. */
  const columns: readonly Limb[][] = [[], [], [], []]
  for (let i = 0; i < 4; i++)
    for (let j = 0; i + j < 4; j++) {
      const [x, y] = [a[i] as Limb, b[j] as Limb]
      if (isZero(x) || isZero(y)) continue
      columns[i + j]?.push(assign(emitter, ...get(x), ...get(y), WASM.i64Mul))
      if (i + j === 3) continue
      columns[i + j + 1]?.push(upperProduct(emitter, halvesOfA[i] as Halves, halvesOfB[j] as Halves))
    }
  const [c0 = [], c1 = [], c2 = [], c3 = []] = columns
  const [p0] = addCounting(emitter, c0)
  const [p1, carry1] = addCounting(emitter, c1)
  const [p2, carry2] = addCounting(emitter, [...c2, carry1])
  return [p0, p1, p2, addAll(emitter, [...c3, carry2])]
}

const limbwise =
  (instruction: number): Binary =>
  (emitter, a, b) => {
    const combine = (index: 0 | 1 | 2 | 3): Limb =>
      assign(emitter, ...get(a[index]), ...get(b[index]), instruction)
    return [combine(0), combine(1), combine(2), combine(3)]
  }

export const and: Binary = (emitter, a, b) => {
  const combine = (index: 0 | 1 | 2 | 3): Limb =>
    isZero(a[index]) || isZero(b[index])
      ? ZERO
      : assign(emitter, ...get(a[index]), ...get(b[index]), WASM.i64And)
  return [combine(0), combine(1), combine(2), combine(3)]
}
export const or = limbwise(WASM.i64Or)
export const xor = limbwise(WASM.i64Xor)

const ONES = wordOf(2n ** 256n - 1n)

export const not: Unary = (emitter, a) => xor(emitter, a, ONES)

const flag = (emitter: Emitter, ...condition: readonly number[]): Word => [
  assign(emitter, ...condition, WASM.i64ExtendI32U),
  ZERO,
  ZERO,
  ZERO,
]

/** a < b, which holds if a - b borrows. */
const isBelow = (emitter: Emitter, a: Word, b: Word): Limb => {
  let borrow: Limb = ZERO
  for (let index = 0; index < 4; index++)
    borrow = subtractLimbs(emitter, a[index] as Limb, b[index] as Limb, borrow)[1]
  return borrow
}

export const lessThan: Binary = (emitter, a, b) => [isBelow(emitter, a, b), ZERO, ZERO, ZERO]

export const greaterThan: Binary = (emitter, a, b) => lessThan(emitter, b, a)

/** Signed numbers compare as unsigned ones whose highest bit is inverted. */
export const signedLessThan: Binary = (emitter, a, b) => {
  const shifted = (word: Word): Word => [
    word[0],
    word[1],
    word[2],
    assign(emitter, ...get(word[3]), WASM.i64Const, ...signed(2n ** 63n), WASM.i64Xor),
  ]
  return lessThan(emitter, shifted(a), shifted(b))
}

export const signedGreaterThan: Binary = (emitter, a, b) => signedLessThan(emitter, b, a)

const union = (limbs: readonly Limb[]): number[] =>
  limbs.slice(1).reduce((sum, limb) => [...sum, ...get(limb), WASM.i64Or], get(limbs[0] as Limb))

export const isZeroWord: Unary = (emitter, a) => flag(emitter, ...union(a), WASM.i64Eqz)

export const equal: Binary = (emitter, a, b) => isZeroWord(emitter, xor(emitter, a, b))

/** Shifts a word to the left by a constant number of bits; negative numbers shift to the right. */
export const shiftBy = (emitter: Emitter, a: Word, bits: number): Word => {
  const whole = Math.floor(bits / 64)
  const part = BigInt(bits - 64 * whole)
  const limbAt = (index: number): Limb => a[index] ?? ZERO
  const shifted = (index: number): Limb => {
    const from = index - whole
    if (part === 0n) return limbAt(from)
    const upper = limbAt(from)
    const lower = limbAt(from - 1)
    if (isZero(upper) && isZero(lower)) return ZERO
    return assign(
      emitter,
      ...code(...get(upper), WASM.i64Const, ...signed(part), WASM.i64Shl),
      ...code(...get(lower), WASM.i64Const, ...signed(64n - part), WASM.i64ShrU, WASM.i64Or),
    )
  }
  return [shifted(0), shifted(1), shifted(2), shifted(3)]
}
