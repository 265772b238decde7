import { describe, expect, test } from 'bun:test'
import { concatBytes } from '../../../../core/bytes/bytes.ts'
import { toBareHex } from '../../../../core/bytes/hex.ts'
import { bigintToBytes, bytesToBigint } from '../../../../core/bytes/integer.ts'
import { powerModulo } from '../../../../core/evm/precompiles/modexp/powerModulo.ts'
import type { ForkName } from '../../../../core/genesis/fork.ts'
import { seededRandom } from '../../../support/random.ts'
import { contractAt, outputOf, word } from './support.ts'

const lengths = (base: bigint | number, exponent: bigint | number, modulus: bigint | number): Uint8Array =>
  concatBytes(word(base), word(exponent), word(modulus))
const operands = (base: Uint8Array, exponent: Uint8Array, modulus: Uint8Array): Uint8Array =>
  concatBytes(lengths(base.length, exponent.length, modulus.length), base, exponent, modulus)
const gasIn = (input: Uint8Array): number[] =>
  (['byzantium', 'berlin', 'osaka'] as const).map(fork => contractAt(5, fork).gas(input))

const PRIME = 2n ** 256n - 2n ** 32n - 977n

const naive = (base: bigint, exponent: bigint, modulus: bigint): bigint => {
  let result = 1n % modulus
  for (const bit of exponent.toString(2)) {
    result = (result * result) % modulus
    if (bit === '1') result = (result * base) % modulus
  }
  return result
}

describe('given powers modulo', () => {
  test('when moduli have any size, then they equal squaring and multiplying', () => {
    const random = seededRandom(8)
    for (let i = 0; i < 300; i++) {
      const modulus = bytesToBigint(random.bytes(1 + random.below(i < 150 ? 4 : 40))) + 1n
      const base = bytesToBigint(random.bytes(random.below(40)))
      const exponent = random.bytes(random.below(40))
      expect(powerModulo(base, exponent, modulus)).toBe(
        naive(base % modulus, bytesToBigint(exponent), modulus),
      )
    }
  })

  test('when operands are at the edges, then they are right', () => {
    for (const modulus of [1n, 2n, 0x3ffffffn, 0x4000000n, 0x4000001n, 2n ** 64n, PRIME]) {
      for (const base of [0n, 1n, modulus - 1n, modulus, modulus + 1n]) {
        for (const exponent of [0n, 1n, 2n, 15n, 16n, 255n, 256n]) {
          const bytes = bigintToBytes(exponent)
          expect(powerModulo(base, bytes, modulus)).toBe(naive(base % modulus, exponent, modulus))
        }
      }
    }
  })
})

describe('given MODEXP', () => {
  const contract = contractAt(5)

  test('when EIP-198’s examples run, then it gives their results', () => {
    const fermat = operands(Uint8Array.of(3), word(PRIME - 1n), word(PRIME))
    expect(outputOf(contract, fermat)).toBe(toBareHex(word(1)))
    expect(gasIn(fermat)).toEqual([13_056, 1360, 4080])
    const zeroBase = concatBytes(lengths(0, 32, 32), word(PRIME - 1n), word(PRIME))
    expect(outputOf(contract, zeroBase)).toBe(toBareHex(word(0)))
    const shortInput = concatBytes(lengths(1, 2, 32), Uint8Array.of(3, 0xff, 0xff, 0x80))
    expect(outputOf(contract, shortInput)).toBe(
      '3b01b01ac41f2d6e917c6d6a221ce793802469026d9ab7578fa2e79e4da6aaab',
    )
  })

  test('when it answers, then the length is the modulus’s; a modulus of zero gives zeros', () => {
    expect(outputOf(contract, operands(Uint8Array.of(2), Uint8Array.of(3), Uint8Array.of(0, 0, 5)))).toBe(
      '000003',
    )
    expect(outputOf(contract, operands(Uint8Array.of(2), Uint8Array.of(3), new Uint8Array(3)))).toBe('000000')
    expect(outputOf(contract, operands(Uint8Array.of(2), Uint8Array.of(3), new Uint8Array(0)))).toBe('')
    expect(outputOf(contract, operands(Uint8Array.of(2), new Uint8Array(0), Uint8Array.of(1)))).toBe('00')
    expect(outputOf(contract, operands(new Uint8Array(0), new Uint8Array(0), Uint8Array.of(7)))).toBe('01')
    expect(outputOf(contract)).toBe('')
  })

  test('when it is priced, then lengths and the exponent’s head decide', () => {
    const full = (base: number, exponent: Uint8Array, modulus: number): Uint8Array =>
      operands(new Uint8Array(base).fill(1), exponent, new Uint8Array(modulus).fill(1))
    const F4 = Uint8Array.of(1, 0, 1)
    expect(gasIn(full(64, F4, 64))).toEqual([3276, 341, 2048])
    expect(gasIn(full(512, F4, 512))).toEqual([89_292, 21_845, 131_072])
    expect(gasIn(full(1024, F4, 1024))).toEqual([285_900, 87_381, 524_288])
    // Beyond 32 bytes the exponent's first word counts by its bits, the rest by its length.
    expect(gasIn(full(32, new Uint8Array(40).fill(255), 32))).toEqual([16_332, 1701, 6128])
    expect(gasIn(full(32, new Uint8Array(40), 32))).toEqual([3276, 341, 2048])
  })

  test('when lengths exceed every gas limit, then they cost more than any', () => {
    for (const input of [
      lengths(2n ** 255n, 1, 1),
      lengths(1, 2n ** 255n, 1),
      lengths(1, 1, 2n ** 255n),
      lengths(0, 2n ** 32n, 1),
    ])
      expect(gasIn(input)).toEqual([Infinity, Infinity, Infinity])
  })

  test('when a long exponent meets empty operands, then it answers nothing without work', () => {
    const input = lengths(0, 2n ** 255n, 0)
    for (const fork of ['byzantium', 'berlin'] as ForkName[]) {
      expect(contractAt(5, fork).gas(input)).toBe(fork === 'berlin' ? 200 : 0)
      expect(outputOf(contractAt(5, fork), input)).toBe('')
    }
  })

  test('when Osaka is active, then operands over 1,024 bytes are refused (EIP-7823)', () => {
    for (const [base, exponent, modulus] of [
      [1025, 1, 1],
      [1, 1025, 1],
      [1, 1, 1025],
      [1025, 0, 0],
      [0, 1025, 0],
    ] as const) {
      expect(outputOf(contractAt(5, 'osaka'), lengths(base, exponent, modulus))).toBe('fails')
      expect(outputOf(contractAt(5, 'prague'), lengths(base, exponent, modulus))).toBe('00'.repeat(modulus))
    }
    expect(outputOf(contractAt(5, 'osaka'), lengths(1024, 1024, 1024))).toBe('00'.repeat(1024))
  })
})
