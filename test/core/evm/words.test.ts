import { describe, expect, test } from 'bun:test'
import * as division from '../../../core/evm/words/division.ts'
import { multiplyDigits } from '../../../core/evm/words/multiplyDigits.ts'
import { power } from '../../../core/evm/words/power.ts'
import * as shift from '../../../core/evm/words/shift.ts'
import { bigintAt, numbers, putBigint } from '../../../core/evm/interpreter/stack.ts'
import * as words from '../../../core/evm/words/word.ts'
import { seededRandom } from '../../support/random.ts'

const WORD = (1n << 256n) - 1n
const SMALL = 1n << 53n
const EDGES = [
  0n,
  1n,
  2n,
  31n,
  32n,
  255n,
  256n,
  0xffffffn,
  1n << 24n,
  (1n << 31n) - 1n,
  1n << 31n,
  (1n << 32n) - 1n,
  1n << 32n,
  SMALL - 1n,
  SMALL,
  SMALL + 1n,
  (1n << 64n) - 1n,
  1n << 128n,
  (1n << 255n) - 1n,
  1n << 255n,
  WORD - 1n,
  WORD,
]

const random = seededRandom(20)
/** Words of every length, near the edges of limbs and of the sign. */
const randomWord = (): bigint => {
  let value = 0n
  for (let i = 0; i < 8; i++) value = (value << 32n) | BigInt(random.word())
  const bits = BigInt(random.below(257))
  switch (random.below(5)) {
    case 0:
      return value >> bits
    case 1:
      return WORD - (value >> bits)
    case 2:
      return ((value >> bits) << BigInt(random.below(257))) & WORD
    case 3:
      return EDGES[random.below(EDGES.length)] as bigint
    default:
      return value
  }
}

const signed = (value: bigint): bigint => BigInt.asIntN(256, value)
const unsigned = (value: bigint): bigint => BigInt.asUintN(256, value)

const TOP = 20
const ROUNDS = 4000

/** The word at a place, after making sure that it has its canonical form. */
const resultAt = (place: number): bigint => {
  const value = bigintAt(place)
  expect(Number.isNaN(numbers[place])).toBe(value >= SMALL)
  return value
}

type Binary = readonly [
  name: string,
  compute: (a: number, b: number, to: number) => void,
  expected: (a: bigint, b: bigint) => bigint,
]

const BINARIES: readonly Binary[] = [
  ['ADD', words.add, (a, b) => unsigned(a + b)],
  ['SUB', words.subtract, (a, b) => unsigned(a - b)],
  ['MUL', words.multiply, (a, b) => unsigned(a * b)],
  ['MUL where WebAssembly may not be compiled', multiplyDigits, (a, b) => unsigned(a * b)],
  ['AND', words.and, (a, b) => a & b],
  ['OR', words.or, (a, b) => a | b],
  ['XOR', words.xor, (a, b) => a ^ b],
  ['DIV', division.divide, (a, b) => (b === 0n ? 0n : a / b)],
  ['MOD', division.remainder, (a, b) => (b === 0n ? 0n : a % b)],
  ['SDIV', division.divideSigned, (a, b) => (b === 0n ? 0n : unsigned(signed(a) / signed(b)))],
  ['SMOD', division.remainderSigned, (a, b) => (b === 0n ? 0n : unsigned(signed(a) % signed(b)))],
  ['SHL', shift.shiftLeft, (a, b) => (a < 256n ? unsigned(b << a) : 0n)],
  ['SHR', shift.shiftRight, (a, b) => (a < 256n ? b >> a : 0n)],
  ['SAR', shift.shiftRightSigned, (a, b) => unsigned(signed(b) >> (a < 256n ? a : 255n))],
  ['BYTE', shift.byteOf, (a, b) => (a < 32n ? (b >> (8n * (31n - a))) & 255n : 0n)],
  ['SIGNEXTEND', shift.signExtend, (a, b) => (a < 31n ? unsigned(BigInt.asIntN(8 * Number(a) + 8, b)) : b)],
  ['LT', (a, b, to) => (numbers[to] = words.lessThan(a, b) ? 1 : 0), (a, b) => (a < b ? 1n : 0n)],
  [
    'SLT',
    (a, b, to) => (numbers[to] = words.signedLessThan(a, b) ? 1 : 0),
    (a, b) => (signed(a) < signed(b) ? 1n : 0n),
  ],
  ['EQ', (a, b, to) => (numbers[to] = words.equal(a, b) ? 1 : 0), (a, b) => (a === b ? 1n : 0n)],
]

describe('given operations on words with operands of any form', () => {
  test.each(BINARIES)('when %s runs, then it answers as integers do', (_, compute, expected) => {
    const check = (a: bigint, b: bigint): void => {
      putBigint(TOP, a)
      putBigint(TOP - 1, b)
      compute(TOP, TOP - 1, TOP - 1)
      expect([a, b, resultAt(TOP - 1)]).toEqual([a, b, expected(a, b)])
    }
    for (const a of EDGES) for (const b of EDGES) check(a, b)
    for (let i = 0; i < ROUNDS; i++) check(randomWord(), randomWord())
    for (let i = 0; i < ROUNDS; i++) check(BigInt(random.below(300)), randomWord())
  })

  const ternary = (
    compute: (a: number, b: number, m: number, to: number) => void,
    expected: (a: bigint, b: bigint, m: bigint) => bigint,
  ): void => {
    const check = (a: bigint, b: bigint, m: bigint): void => {
      putBigint(TOP, a)
      putBigint(TOP - 1, b)
      putBigint(TOP - 2, m)
      compute(TOP, TOP - 1, TOP - 2, TOP - 2)
      expect([a, b, m, resultAt(TOP - 2)]).toEqual([a, b, m, expected(a, b, m)])
    }
    for (const a of EDGES) for (const m of EDGES) check(a, WORD, m)
    for (let i = 0; i < ROUNDS; i++) check(randomWord(), randomWord(), randomWord())
  }

  test('when ADDMOD runs, then it does not overflow', () => {
    ternary(division.addModulo, (a, b, m) => (m === 0n ? 0n : (a + b) % m))
  })

  test('when MULMOD runs, then it does not overflow', () => {
    ternary(division.multiplyModulo, (a, b, m) => (m === 0n ? 0n : (a * b) % m))
  })

  test('when EXP runs, then it answers as integers do', () => {
    const modularPower = (base: bigint, exponent: bigint): bigint => {
      let result = 1n
      for (let square = base, rest = exponent; rest > 0n; rest >>= 1n, square = unsigned(square * square))
        if ((rest & 1n) === 1n) result = unsigned(result * square)
      return result
    }
    for (let i = 0; i < 300; i++) {
      const base = i % 3 === 0 ? BigInt(random.below(20)) : randomWord()
      const exponent = i % 2 === 0 ? BigInt(random.below(300)) : randomWord()
      putBigint(TOP, base)
      putBigint(TOP - 1, exponent)
      power(TOP, TOP - 1, TOP - 1, TOP)
      expect([base, exponent, resultAt(TOP - 1)]).toEqual([base, exponent, modularPower(base, exponent)])
    }
  })

  test('when NOT and CLZ run, then they answer as integers do', () => {
    const check = (value: bigint): void => {
      putBigint(TOP, value)
      words.not(TOP)
      expect(resultAt(TOP)).toBe(WORD - value)
      putBigint(TOP, value)
      shift.leadingZeros(TOP)
      expect(resultAt(TOP)).toBe(BigInt(256 - (value === 0n ? 0 : value.toString(2).length)))
    }
    for (const value of EDGES) check(value)
    for (let bit = 0n; bit < 256n; bit++) check(1n << bit)
    for (let i = 0; i < ROUNDS; i++) check(randomWord())
  })
})
