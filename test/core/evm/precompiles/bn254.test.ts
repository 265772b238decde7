import { describe, expect, test } from 'bun:test'
import { bn254 } from '@noble/curves/bn254.js'
import { concatBytes } from '../../../../core/bytes/bytes.ts'
import { bytesToBigint } from '../../../../core/bytes/integer.ts'
import { toBareHex } from '../../../../core/bytes/hex.ts'
import { seededRandom } from '../../../support/random.ts'
import { contractAt, outputOf, word } from './support.ts'

const ADD = contractAt(6)
const MUL = contractAt(7)
const PAIRING = contractAt(8)
const { Fp, Fp2, Fr } = bn254.fields
const G1 = bn254.G1.Point
const G2 = bn254.G2.Point

const g1 = (point: InstanceType<typeof G1>): Uint8Array => {
  const { x, y } = point.toAffine()
  return concatBytes(word(x), word(y))
}
const g2 = (point: InstanceType<typeof G2>): Uint8Array => {
  const { x, y } = point.toAffine()
  return concatBytes(word(x.c1), word(x.c0), word(y.c1), word(y.c0))
}
const INFINITY = '00'.repeat(64)
const TRUE = toBareHex(word(1))
const FALSE = toBareHex(word(0))
const OFF_CURVE = concatBytes(word(1), word(1))

/** A point of the twist whose order is not that of G1. */
const outsideSubgroup = (): InstanceType<typeof G2> => {
  for (let c0 = 1n; ; c0++) {
    const x = Fp2.create({ c0, c1: 0n })
    const square = Fp2.add(Fp2.mul(Fp2.sqr(x), x), G2.CURVE().b)
    try {
      const point = G2.fromAffine({ x, y: Fp2.sqrt(square) })
      if (!point.isTorsionFree()) return point
    } catch {
      // No square root: no point has this x.
    }
  }
}

describe('given addition', () => {
  test('when points are added, doubled and cancelled, then the sums are right', () => {
    const [a, b] = [G1.BASE.multiply(5n), G1.BASE.multiply(9n)]
    expect(outputOf(ADD, g1(a), g1(b))).toBe(toBareHex(g1(G1.BASE.multiply(14n))))
    expect(outputOf(ADD, g1(a), g1(a))).toBe(toBareHex(g1(G1.BASE.multiply(10n))))
    expect(outputOf(ADD, g1(a), g1(a.negate()))).toBe(INFINITY)
    expect(outputOf(ADD, g1(a), new Uint8Array(64))).toBe(toBareHex(g1(a)))
  })

  test('when the input is short, then zeros follow', () => {
    expect(outputOf(ADD)).toBe(INFINITY)
    expect(outputOf(ADD, g1(G1.BASE))).toBe(toBareHex(g1(G1.BASE)))
    expect(outputOf(ADD, g1(G1.BASE), new Uint8Array(64), Uint8Array.of(1))).toBe(toBareHex(g1(G1.BASE)))
  })

  test('when a point or coordinate is invalid, then it fails', () => {
    expect(outputOf(ADD, OFF_CURVE)).toBe('fails')
    expect(outputOf(ADD, g1(G1.BASE), OFF_CURVE)).toBe('fails')
    expect(outputOf(ADD, word(1n + Fp.ORDER), word(2))).toBe('fails')
    expect(outputOf(ADD, word(Fp.ORDER), word(0))).toBe('fails')
  })
})

describe('given multiplication', () => {
  test('when the scalar has any 256 bits, then it equals plain multiplication', () => {
    const random = seededRandom(9)
    const point = G1.BASE.multiply(777n)
    const edges = [0n, 1n, 2n, Fr.ORDER - 1n, Fr.ORDER, Fr.ORDER + 1n, 2n ** 256n - 1n]
    const scalars = [...edges, ...Array.from({ length: 40 }, () => bytesToBigint(random.bytes(32)))]
    for (const scalar of scalars) {
      expect(outputOf(MUL, g1(point), word(scalar))).toBe(
        toBareHex(g1(point.multiplyUnsafe(scalar % Fr.ORDER))),
      )
    }
  })

  test('when the point is infinity or missing, then the result is infinity', () => {
    expect(outputOf(MUL, new Uint8Array(64), word(5))).toBe(INFINITY)
    expect(outputOf(MUL)).toBe(INFINITY)
    expect(outputOf(MUL, OFF_CURVE, word(0))).toBe('fails')
  })
})

describe('given pairing', () => {
  test('when the product is one, then it holds', () => {
    const [a, b] = [6n, 35n]
    const holding = concatBytes(
      g1(G1.BASE.multiply(a)),
      g2(G2.BASE.multiply(b)),
      g1(G1.BASE.multiply(a * b).negate()),
      g2(G2.BASE),
    )
    expect(outputOf(PAIRING, holding)).toBe(TRUE)
    expect(outputOf(PAIRING, g1(G1.BASE), g2(G2.BASE))).toBe(FALSE)
    expect(PAIRING.gas(holding)).toBe(113_000)
  })

  test('when there are no pairs, or pairs with infinity, then it holds', () => {
    expect(outputOf(PAIRING)).toBe(TRUE)
    expect(outputOf(PAIRING, new Uint8Array(64), g2(G2.BASE))).toBe(TRUE)
    expect(outputOf(PAIRING, g1(G1.BASE), new Uint8Array(128))).toBe(TRUE)
  })

  test('when a pair is cut off, off its curve or of another order, then it fails', () => {
    expect(outputOf(PAIRING, new Uint8Array(191))).toBe('fails')
    expect(outputOf(PAIRING, OFF_CURVE, g2(G2.BASE))).toBe('fails')
    expect(outputOf(PAIRING, g1(G1.BASE), word(1), word(1), word(1), word(1))).toBe('fails')
    expect(outputOf(PAIRING, new Uint8Array(64), g2(outsideSubgroup()))).toBe('fails')
    expect(outputOf(PAIRING, g1(G1.BASE), word(Fp.ORDER), word(0), word(0), word(0))).toBe('fails')
  })

  test('when a point of the twist has a y of zero, then it fails, whatever its x', () => {
    expect(outputOf(PAIRING, g1(G1.BASE), word(1), word(0), word(0), word(0))).toBe('fails')
    expect(outputOf(PAIRING, new Uint8Array(64), word(0), word(1), word(0), word(0))).toBe('fails')
  })
})
