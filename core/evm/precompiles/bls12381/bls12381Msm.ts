import { type CurvePoint, type CurvePointCons, mulAddUnsafe } from '@noble/curves/abstract/curve.js'
import { psiFrobenius } from '@noble/curves/abstract/tower.js'
import { bls12_381 } from '@noble/curves/bls12-381.js'
import type { Steps } from '../../../steps.ts'
import type { G1Point, G2Point } from './bls12381Points.ts'

const { Fp, Fp2 } = bls12_381.fields
const G1 = bls12_381.G1.Point
const G2 = bls12_381.G2.Point

/** The absolute value of the curve's parameter x, which is negative: an odd power of x is minus that of X. */
const X = 0xd201000000010000n
const X_SQUARED = X * X

/** A cube root of one: (BETA x, -y) is the point (x, y) of G1 times the curve's x^2 (https://eprint.iacr.org/2021/1130). */
const BETA = 0x5f19672fdf76ce51ba69c6076a0f77eaddb3a93be6f89688de17d813620a00022e01fffffffefffen

/** Terms that share their doublings: more would save little and take longer between two yields. */
const TERMS_AT_ONCE = 16

type Fp2Element = ReturnType<typeof Fp2.create>
let frobenius: ((x: Fp2Element, y: Fp2Element) => [Fp2Element, Fp2Element]) | undefined

/** The point times x in G2, from the Frobenius map. */
const timesX = (point: G2Point): G2Point => {
  frobenius ??= psiFrobenius(Fp, Fp2, Fp2.div(Fp2.ONE, Fp2.NONRESIDUE)).psi
  const { x, y } = point.toAffine()
  const [imageX, imageY] = frobenius(x, y)
  return G2.fromAffine({ x: imageX, y: imageY })
}

/** A point and the scalar that multiplies it; the scalar is below the order, and short after a split. */
export type Term<Point> = readonly [point: Point, scalar: bigint]

/** k P = k0 P + k1 x^2 P, both of 128 bits. */
const splitG1 = ([point, scalar]: Term<G1Point>): Term<G1Point>[] => {
  const { x, y } = point.toAffine()
  const timesXSquared = G1.fromAffine({ x: Fp.mul(x, BETA), y: Fp.neg(y) })
  return [
    [point, scalar % X_SQUARED],
    [timesXSquared, scalar / X_SQUARED],
  ]
}

/** k P = k0 P + k1 |x| P + k2 x^2 P + k3 |x|^3 P, each of 64 bits. */
const splitG2 = ([point, scalar]: Term<G2Point>): Term<G2Point>[] => {
  const first = timesX(point)
  const second = timesX(first)
  const third = timesX(second)
  return [
    [point, scalar % X],
    [first.negate(), (scalar / X) % X],
    [second, (scalar / X_SQUARED) % X],
    [third.negate(), scalar / (X_SQUARED * X)],
  ]
}

/**
 * The sum of the terms. `split` replaces a term by several with shorter scalars, which share their doublings: half as many
 * for halves of a scalar, a quarter for quarters.
 */
function* sumOfTerms<Field, Point extends CurvePoint<Field, Point>>(
  curve: CurvePointCons<Point>,
  terms: readonly Term<Point>[],
  split: (term: Term<Point>) => Term<Point>[],
): Steps<Point> {
  const isNonZero = ([point, scalar]: Term<Point>): boolean => scalar !== 0n && !point.is0()
  let sum = curve.ZERO
  for (let at = 0; at < terms.length; at += TERMS_AT_ONCE) {
    const short = terms
      .slice(at, at + TERMS_AT_ONCE)
      .filter(isNonZero)
      .flatMap(split)
      .filter(isNonZero)
    const part = mulAddUnsafe(
      curve,
      short.map(([point]) => point),
      short.map(([, scalar]) => scalar),
    )
    sum = sum.add(part)
    yield
  }
  return sum
}

export const sumOfTermsG1 = (terms: readonly Term<G1Point>[]): Steps<G1Point> =>
  sumOfTerms(G1, terms, splitG1)

export const sumOfTermsG2 = (terms: readonly Term<G2Point>[]): Steps<G2Point> =>
  sumOfTerms(G2, terms, splitG2)
