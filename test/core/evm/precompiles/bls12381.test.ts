import { describe, expect, test } from 'bun:test'
import { bls12_381 } from '@noble/curves/bls12-381.js'
import { concatBytes } from '../../../../core/bytes/bytes.ts'
import { toBareHex } from '../../../../core/bytes/hex.ts'
import { bigintToFixedBytes, bytesToBigint } from '../../../../core/bytes/integer.ts'
import {
  decodeG1,
  decodeG2,
  encodeG1,
  encodeG2,
} from '../../../../core/evm/precompiles/bls12381/bls12381Points.ts'
import { seededRandom } from '../../../support/random.ts'
import { contractAt, outputOf, word } from './support.ts'

const [G1ADD, G1MSM, G2ADD, G2MSM, PAIRING, MAP_G1, MAP_G2] = [0x0b, 0x0c, 0x0d, 0x0e, 0x0f, 0x10, 0x11].map(
  number => contractAt(number),
) as [
  ReturnType<typeof contractAt>,
  ReturnType<typeof contractAt>,
  ReturnType<typeof contractAt>,
  ReturnType<typeof contractAt>,
  ReturnType<typeof contractAt>,
  ReturnType<typeof contractAt>,
  ReturnType<typeof contractAt>,
]
const { Fp, Fp2, Fr } = bls12_381.fields
const G1 = bls12_381.G1.Point
const G2 = bls12_381.G2.Point
const fp = (value: bigint): Uint8Array => bigintToFixedBytes(value, 64)
const fp2 = (c0: bigint, c1: bigint): Uint8Array => concatBytes(fp(c0), fp(c1))
const INFINITY_1 = new Uint8Array(128)
const INFINITY_2 = new Uint8Array(256)

/** Points of the curves that are outside the subgroups: the first small x that has one. */
const outsideG1 = (): Uint8Array => {
  for (let x = 1n; ; x++) {
    try {
      const y = Fp.sqrt(Fp.add(Fp.mul(Fp.sqr(x), x), 4n))
      const bytes = concatBytes(fp(x), fp(y))
      if (decodeG1(bytes)?.isTorsionFree() === false) return bytes
    } catch {
      // No square root: no point has this x.
    }
  }
}
const outsideG2 = (): Uint8Array => {
  for (let c0 = 1n; ; c0++) {
    try {
      const x = Fp2.create({ c0, c1: 0n })
      const y = Fp2.sqrt(Fp2.add(Fp2.mul(Fp2.sqr(x), x), Fp2.create({ c0: 4n, c1: 4n })))
      const bytes = concatBytes(fp2(x.c0, x.c1), fp2(y.c0, y.c1))
      if (decodeG2(bytes)?.isTorsionFree() === false) return bytes
    } catch {
      // No square root: no point has this x.
    }
  }
}

describe('given addition', () => {
  test('when points are added, doubled and cancelled, then the sums are right', () => {
    const [a, b] = [G1.BASE.multiply(5n), G1.BASE.multiply(9n)]
    expect(outputOf(G1ADD, encodeG1(a), encodeG1(b))).toBe(toBareHex(encodeG1(G1.BASE.multiply(14n))))
    expect(outputOf(G1ADD, encodeG1(a), encodeG1(a))).toBe(toBareHex(encodeG1(G1.BASE.multiply(10n))))
    expect(outputOf(G1ADD, encodeG1(a), encodeG1(a.negate()))).toBe(toBareHex(INFINITY_1))
    const [c, d] = [G2.BASE.multiply(5n), G2.BASE.multiply(9n)]
    expect(outputOf(G2ADD, encodeG2(c), encodeG2(d))).toBe(toBareHex(encodeG2(G2.BASE.multiply(14n))))
    expect(outputOf(G2ADD, encodeG2(c), encodeG2(c))).toBe(toBareHex(encodeG2(G2.BASE.multiply(10n))))
    expect(outputOf(G2ADD, encodeG2(c), encodeG2(c.negate()))).toBe(toBareHex(INFINITY_2))
  })

  test('when points are outside the subgroup, then they are accepted', () => {
    expect(outputOf(G1ADD, outsideG1(), INFINITY_1)).toBe(toBareHex(outsideG1()))
    expect(outputOf(G2ADD, outsideG2(), INFINITY_2)).toBe(toBareHex(outsideG2()))
  })

  test('when the length, a point or a field element is invalid, then it fails', () => {
    expect(outputOf(G1ADD, INFINITY_1)).toBe('fails')
    expect(outputOf(G1ADD, INFINITY_1, INFINITY_1, Uint8Array.of(0))).toBe('fails')
    expect(outputOf(G1ADD, fp(1n), fp(1n), INFINITY_1)).toBe('fails')
    expect(outputOf(G1ADD, fp(Fp.ORDER), fp(0n), INFINITY_1)).toBe('fails')
    expect(outputOf(G1ADD, fp(2n ** 511n), fp(0n), INFINITY_1)).toBe('fails')
    expect(outputOf(G2ADD, fp2(1n, 1n), fp2(1n, 1n), INFINITY_2)).toBe('fails')
    expect(outputOf(G2ADD, fp2(0n, Fp.ORDER), fp2(0n, 0n), INFINITY_2)).toBe('fails')
  })
})

describe('given sums of multiples', () => {
  const random = seededRandom(10)
  const scalars = (count: number): bigint[] => {
    const edges = [0n, 1n, Fr.ORDER - 1n, Fr.ORDER, Fr.ORDER + 1n, 2n ** 256n - 1n, 0xd201000000010000n]
    return Array.from({ length: count }, (_, index) => edges[index] ?? bytesToBigint(random.bytes(32)))
  }

  test('when they are in G1, then they equal added single multiplications', () => {
    for (const count of [1, 2, 9, 70]) {
      const terms = scalars(count).map((scalar, index) => ({
        scalar,
        point: G1.BASE.multiply(BigInt(index * index + 1)),
      }))
      const input = concatBytes(...terms.flatMap(({ point, scalar }) => [encodeG1(point), word(scalar)]))
      const sum = terms.reduce(
        (total, { point, scalar }) => total.add(point.multiplyUnsafe(scalar % Fr.ORDER)),
        G1.ZERO,
      )
      expect(outputOf(G1MSM, input)).toBe(toBareHex(encodeG1(sum)))
    }
  })

  test('when they are in G2, then they equal added single multiplications', () => {
    for (const count of [1, 2, 9]) {
      const terms = scalars(count).map((scalar, index) => ({
        scalar,
        point: G2.BASE.multiply(BigInt(index * index + 1)),
      }))
      const input = concatBytes(...terms.flatMap(({ point, scalar }) => [encodeG2(point), word(scalar)]))
      const sum = terms.reduce(
        (total, { point, scalar }) => total.add(point.multiplyUnsafe(scalar % Fr.ORDER)),
        G2.ZERO,
      )
      expect(outputOf(G2MSM, input)).toBe(toBareHex(encodeG2(sum)))
    }
  })

  test('when an edge scalar is alone, then both groups are right', () => {
    for (const scalar of scalars(7)) {
      expect(outputOf(G1MSM, encodeG1(G1.BASE), word(scalar))).toBe(
        toBareHex(encodeG1(G1.BASE.multiplyUnsafe(scalar % Fr.ORDER))),
      )
      expect(outputOf(G2MSM, encodeG2(G2.BASE), word(scalar))).toBe(
        toBareHex(encodeG2(G2.BASE.multiplyUnsafe(scalar % Fr.ORDER))),
      )
    }
    expect(outputOf(G1MSM, INFINITY_1, word(5))).toBe(toBareHex(INFINITY_1))
    expect(outputOf(G2MSM, INFINITY_2, word(5))).toBe(toBareHex(INFINITY_2))
  })

  test('when the input is empty, has a rest or a point outside the subgroup, then they fail', () => {
    expect(outputOf(G1MSM)).toBe('fails')
    expect(outputOf(G2MSM)).toBe('fails')
    expect(outputOf(G1MSM, encodeG1(G1.BASE), word(1), Uint8Array.of(0))).toBe('fails')
    expect(outputOf(G1MSM, outsideG1(), word(0))).toBe('fails')
    expect(outputOf(G2MSM, outsideG2(), word(0))).toBe('fails')
  })

  test('when there are more, then each costs less, down to the price at 128', () => {
    const g1Gas = [0, 1, 2, 128, 129, 256].map(count => G1MSM.gas(new Uint8Array(160 * count)))
    expect(g1Gas).toEqual([0, 12_000, 22_776, 797_184, 803_412, 1_594_368])
    const g2Gas = [0, 1, 2, 128, 129].map(count => G2MSM.gas(new Uint8Array(288 * count)))
    expect(g2Gas).toEqual([0, 22_500, 45_000, 1_509_120, 1_520_910])
  })
})

describe('given the pairing check', () => {
  test('when the product is one, then it holds', () => {
    const holding = [
      encodeG1(G1.BASE.multiply(6n)),
      encodeG2(G2.BASE.multiply(35n)),
      encodeG1(G1.BASE.multiply(210n).negate()),
    ]
    expect(outputOf(PAIRING, ...holding, encodeG2(G2.BASE))).toBe(toBareHex(word(1)))
    expect(outputOf(PAIRING, encodeG1(G1.BASE), encodeG2(G2.BASE))).toBe(toBareHex(word(0)))
    expect(PAIRING.gas(new Uint8Array(768))).toBe(102_900)
  })

  test('when pairs have infinity, then they change nothing', () => {
    expect(outputOf(PAIRING, INFINITY_1, encodeG2(G2.BASE))).toBe(toBareHex(word(1)))
    expect(outputOf(PAIRING, encodeG1(G1.BASE), INFINITY_2)).toBe(toBareHex(word(1)))
  })

  test('when the input is empty, has a rest or points outside the subgroup, then it fails', () => {
    expect(outputOf(PAIRING)).toBe('fails')
    expect(outputOf(PAIRING, new Uint8Array(383))).toBe('fails')
    expect(outputOf(PAIRING, outsideG1(), INFINITY_2)).toBe('fails')
    expect(outputOf(PAIRING, INFINITY_1, outsideG2())).toBe('fails')
  })
})

describe('given mapping to the curve', () => {
  test('when a field element is mapped, then the point is in the subgroup and always the same', () => {
    const g1 = MAP_G1.run(fp(7n)) as Uint8Array
    expect(decodeG1(g1)?.isTorsionFree()).toBe(true)
    expect(MAP_G1.run(fp(7n))).toEqual(g1)
    expect(decodeG2(MAP_G2.run(fp2(7n, 8n)) as Uint8Array)?.isTorsionFree()).toBe(true)
    expect([MAP_G1.gas(g1), MAP_G2.gas(g1)]).toEqual([5500, 23_800])
  })

  test('when the element is zero, then it maps; an invalid one fails', () => {
    expect(decodeG1(MAP_G1.run(fp(0n)) as Uint8Array)?.isTorsionFree()).toBe(true)
    expect(outputOf(MAP_G1, fp(Fp.ORDER))).toBe('fails')
    expect(outputOf(MAP_G1, new Uint8Array(63))).toBe('fails')
    expect(outputOf(MAP_G2, fp2(0n, Fp.ORDER))).toBe('fails')
    expect(outputOf(MAP_G2, new Uint8Array(64))).toBe('fails')
  })
})
