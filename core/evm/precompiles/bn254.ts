import { weierstrass } from '@noble/curves/abstract/weierstrass.js'
import { bn254 } from '@noble/curves/bn254.js'
import { bigintToFixedBytes, bytesToBigint } from '../../bytes/integer.ts'
import { inputRange, trueWord } from './input.ts'
import { runSteps, type Steps } from '../../steps.ts'
import { isPairingIdentitySteps } from './finalExponentiation.ts'
import type { Precompile } from './precompile.ts'

const { Fp, Fp2, Fp12, Fr } = bn254.fields
/** noble's G1 with the curve's endomorphism (x, y) -> (beta x, y), which halves the doublings of a multiplication. */
const G1 = weierstrass(bn254.G1.Point.CURVE(), {
  Fp,
  Fn: Fr,
  allowInfinityPoint: true,
  endo: {
    beta: 0x30644e72e131a0295e6dd9e7e0acccb0c28f069fbb966e3de4bd44e5607cfd48n,
    basises: [
      [0x6f4d8248eeb859fc8211bbeb7d4f1128n, -0x89d3256894d213e3n],
      [0x89d3256894d213e3n, 0x6f4d8248eeb859fd0be4e1541221250bn],
    ],
  },
})
const G2 = bn254.G2.Point
type G1Point = InstanceType<typeof G1>
type G2Point = InstanceType<typeof G2>

const PAIR_LENGTH = 192

const coordinate = (bytes: Uint8Array): bigint | undefined => {
  const value = bytesToBigint(bytes)
  return value < Fp.ORDER ? value : undefined
}

/** EIP-196: x and y below the prime, on the curve; both zero are the point at infinity. */
const decodeG1 = (bytes: Uint8Array): G1Point | undefined => {
  const x = coordinate(bytes.subarray(0, 32))
  const y = coordinate(bytes.subarray(32, 64))
  if (x === undefined || y === undefined) return undefined
  if (x === 0n && y === 0n) return G1.ZERO
  const onCurve = Fp.sqr(y) === Fp.add(Fp.mul(Fp.sqr(x), x), 3n)
  return onCurve ? G1.fromAffine({ x, y }) : undefined
}

const encodeG1 = (point: G1Point): Uint8Array => {
  const output = new Uint8Array(64)
  const { x, y } = point.toAffine()
  output.set(bigintToFixedBytes(x, 32), 0)
  output.set(bigintToFixedBytes(y, 32), 32)
  return output
}

/** EIP-197: the imaginary part comes first; a point must have the order of G1. */
const decodeG2 = (bytes: Uint8Array): G2Point | undefined => {
  const xImaginary = coordinate(bytes.subarray(0, 32))
  const xReal = coordinate(bytes.subarray(32, 64))
  const yImaginary = coordinate(bytes.subarray(64, 96))
  const yReal = coordinate(bytes.subarray(96, 128))
  if (xImaginary === undefined || xReal === undefined || yImaginary === undefined || yReal === undefined)
    return undefined
  // No point of odd order has a y of zero, and the library throws on one. With x zero as well it encodes infinity.
  if (yImaginary === 0n && yReal === 0n) return xImaginary === 0n && xReal === 0n ? G2.ZERO : undefined
  const point = G2.fromAffine({
    x: Fp2.create({ c0: xReal, c1: xImaginary }),
    y: Fp2.create({ c0: yReal, c1: yImaginary }),
  })
  try {
    point.assertValidity()
  } catch {
    // The point is not on the curve or has another order; the call fails.
    return undefined
  }
  return point
}

const add = (input: Uint8Array): Uint8Array | undefined => {
  const a = decodeG1(inputRange(input, 0, 64))
  const b = decodeG1(inputRange(input, 64, 64))
  return a === undefined || b === undefined ? undefined : encodeG1(a.add(b))
}

const multiply = (input: Uint8Array): Uint8Array | undefined => {
  const point = decodeG1(inputRange(input, 0, 64))
  if (point === undefined) return undefined
  return encodeG1(point.multiplyUnsafe(bytesToBigint(inputRange(input, 64, 32)) % Fr.ORDER))
}

/** Pairs whose Miller loops run together: more pairs share squarings, but take longer between two yields. */
const PAIRS_AT_ONCE = 4

/** One when the product of all pairings is the identity. */
function* pairingSteps(input: Uint8Array): Steps<Uint8Array | undefined> {
  if (input.length % PAIR_LENGTH !== 0) return undefined
  let pairs: [ReturnType<typeof bn254.utils.calcPairingPrecomputes>, bigint, bigint][] = []
  let product = Fp12.ONE
  for (let at = 0; at < input.length; at += PAIR_LENGTH) {
    const g1 = decodeG1(input.subarray(at, at + 64))
    yield
    const g2 = decodeG2(input.subarray(at + 64, at + PAIR_LENGTH))
    yield
    if (g1 === undefined || g2 === undefined) return undefined
    // A pairing with the point at infinity is the identity.
    if (g1.is0() || g2.is0()) continue
    const { x, y } = g1.toAffine()
    pairs.push([bn254.utils.calcPairingPrecomputes(g2), x, y])
    yield
    if (pairs.length < PAIRS_AT_ONCE) continue
    product = Fp12.mul(product, bn254.millerLoopBatch(pairs))
    pairs = []
    yield
  }
  product = Fp12.mul(product, bn254.millerLoopBatch(pairs))
  yield
  return (yield* isPairingIdentitySteps(bn254.fields, product)) ? trueWord() : new Uint8Array(32)
}

const pairing = (input: Uint8Array): Uint8Array | undefined => runSteps(pairingSteps(input))

const pairCount = (input: Uint8Array): number => Math.floor(input.length / PAIR_LENGTH)

/** EIP-196 and EIP-197. */
export const BN254_ADD_BYZANTIUM: Precompile = { name: 'BN254_ADD', gas: () => 500, run: add }
export const BN254_MUL_BYZANTIUM: Precompile = { name: 'BN254_MUL', gas: () => 40_000, run: multiply }
export const BN254_PAIRING_BYZANTIUM: Precompile = {
  name: 'BN254_PAIRING',
  gas: input => 100_000 + 80_000 * pairCount(input),
  run: pairing,
  steps: pairingSteps,
}

/** EIP-1108: the same contracts for less gas. */
export const BN254_ADD_ISTANBUL: Precompile = { name: 'BN254_ADD', gas: () => 150, run: add }
export const BN254_MUL_ISTANBUL: Precompile = { name: 'BN254_MUL', gas: () => 6000, run: multiply }
export const BN254_PAIRING_ISTANBUL: Precompile = {
  name: 'BN254_PAIRING',
  gas: input => 45_000 + 34_000 * pairCount(input),
  run: pairing,
  steps: pairingSteps,
}
