import { bls12_381 } from '@noble/curves/bls12-381.js'
import { bytesToBigint } from '../../../bytes/integer.ts'
import { g1MsmGas, g2MsmGas } from './bls12381Gas.ts'
import { sumOfTermsG1, sumOfTermsG2, type Term } from './bls12381Msm.ts'
import * as points from './bls12381Points.ts'
import { trueWord } from '../input.ts'
import { runSteps, type Steps } from '../../../steps.ts'
import { isPairingIdentitySteps } from '../finalExponentiation.ts'
import type { Precompile } from '../precompile.ts'

const { Fp12, Fr } = bls12_381.fields
const SCALAR_LENGTH = 32
const G1_TERM_LENGTH = points.G1_LENGTH + SCALAR_LENGTH
const G2_TERM_LENGTH = points.G2_LENGTH + SCALAR_LENGTH
const PAIR_LENGTH = points.G1_LENGTH + points.G2_LENGTH

/** True for one or more whole items. */
const isListOf = (input: Uint8Array, itemLength: number): boolean =>
  input.length > 0 && input.length % itemLength === 0

/** EIP-2537: addition in G1, without a subgroup check. */
export const BLS12_G1ADD: Precompile = {
  name: 'BLS12_G1ADD',
  gas: () => 375,
  run: input => {
    if (input.length !== 2 * points.G1_LENGTH) return undefined
    const a = points.decodeG1(input.subarray(0, points.G1_LENGTH))
    const b = points.decodeG1(input.subarray(points.G1_LENGTH))
    return a === undefined || b === undefined ? undefined : points.encodeG1(a.add(b))
  },
}

/** EIP-2537: addition in G2, without a subgroup check. */
export const BLS12_G2ADD: Precompile = {
  name: 'BLS12_G2ADD',
  gas: () => 600,
  run: input => {
    if (input.length !== 2 * points.G2_LENGTH) return undefined
    const a = points.decodeG2(input.subarray(0, points.G2_LENGTH))
    const b = points.decodeG2(input.subarray(points.G2_LENGTH))
    return a === undefined || b === undefined ? undefined : points.encodeG2(a.add(b))
  },
}

function* msmG1Steps(input: Uint8Array): Steps<Uint8Array | undefined> {
  if (!isListOf(input, G1_TERM_LENGTH)) return undefined
  const terms: Term<points.G1Point>[] = []
  for (let at = 0; at < input.length; at += G1_TERM_LENGTH) {
    const point = points.decodeSubgroupG1(input.subarray(at, at + points.G1_LENGTH))
    if (point === undefined) return undefined
    yield
    const scalar = bytesToBigint(input.subarray(at + points.G1_LENGTH, at + G1_TERM_LENGTH))
    terms.push([point, scalar % Fr.ORDER])
  }
  return points.encodeG1(yield* sumOfTermsG1(terms))
}

/** EIP-2537: the sum of points times scalars in G1; scalars are any 256-bit integer. */
export const BLS12_G1MSM: Precompile = {
  name: 'BLS12_G1MSM',
  gas: input => g1MsmGas(Math.floor(input.length / G1_TERM_LENGTH)),
  run: input => runSteps(msmG1Steps(input)),
  steps: msmG1Steps,
}

function* msmG2Steps(input: Uint8Array): Steps<Uint8Array | undefined> {
  if (!isListOf(input, G2_TERM_LENGTH)) return undefined
  const terms: Term<points.G2Point>[] = []
  for (let at = 0; at < input.length; at += G2_TERM_LENGTH) {
    const point = points.decodeSubgroupG2(input.subarray(at, at + points.G2_LENGTH))
    if (point === undefined) return undefined
    yield
    const scalar = bytesToBigint(input.subarray(at + points.G2_LENGTH, at + G2_TERM_LENGTH))
    terms.push([point, scalar % Fr.ORDER])
  }
  return points.encodeG2(yield* sumOfTermsG2(terms))
}

/** EIP-2537: the sum of points times scalars in G2. */
export const BLS12_G2MSM: Precompile = {
  name: 'BLS12_G2MSM',
  gas: input => g2MsmGas(Math.floor(input.length / G2_TERM_LENGTH)),
  run: input => runSteps(msmG2Steps(input)),
  steps: msmG2Steps,
}

/** Pairs whose Miller loops run together: more pairs share squarings, but take longer between two yields. */
const PAIRS_AT_ONCE = 4

function* pairingSteps(input: Uint8Array): Steps<Uint8Array | undefined> {
  if (!isListOf(input, PAIR_LENGTH)) return undefined
  let pairs: [ReturnType<typeof bls12_381.utils.calcPairingPrecomputes>, bigint, bigint][] = []
  let product = Fp12.ONE
  for (let at = 0; at < input.length; at += PAIR_LENGTH) {
    const g1 = points.decodeSubgroupG1(input.subarray(at, at + points.G1_LENGTH))
    yield
    const g2 = points.decodeSubgroupG2(input.subarray(at + points.G1_LENGTH, at + PAIR_LENGTH))
    yield
    if (g1 === undefined || g2 === undefined) return undefined
    // A pairing with the point at infinity is the identity.
    if (g1.is0() || g2.is0()) continue
    const { x, y } = g1.toAffine()
    pairs.push([bls12_381.utils.calcPairingPrecomputes(g2), x, y])
    yield
    if (pairs.length < PAIRS_AT_ONCE) continue
    product = Fp12.mul(product, bls12_381.millerLoopBatch(pairs))
    pairs = []
    yield
  }
  product = Fp12.mul(product, bls12_381.millerLoopBatch(pairs))
  yield
  return (yield* isPairingIdentitySteps(bls12_381.fields, product)) ? trueWord() : new Uint8Array(32)
}

/** EIP-2537: one when the product of the pairings is the identity. */
export const BLS12_PAIRING_CHECK: Precompile = {
  name: 'BLS12_PAIRING_CHECK',
  gas: input => 37_700 + 32_600 * Math.floor(input.length / PAIR_LENGTH),
  run: input => runSteps(pairingSteps(input)),
  steps: pairingSteps,
}

// noble declares `mapToCurve` with the type of the affine map that it is built from; these are its real types.
const mapToG1 = bls12_381.G1.mapToCurve as unknown as (element: bigint) => points.G1Point
const mapToG2 = bls12_381.G2.mapToCurve as unknown as (element: bigint[]) => points.G2Point

/** EIP-2537: a field element to a point of G1. */
export const BLS12_MAP_FP_TO_G1: Precompile = {
  name: 'BLS12_MAP_FP_TO_G1',
  gas: () => 5500,
  run: input => {
    if (input.length !== points.FP_LENGTH) return undefined
    const element = points.decodeFp(input)
    return element === undefined ? undefined : points.encodeG1(mapToG1(element))
  },
}

/** EIP-2537: an element of the quadratic extension to a point of G2. */
export const BLS12_MAP_FP2_TO_G2: Precompile = {
  name: 'BLS12_MAP_FP2_TO_G2',
  gas: () => 23_800,
  run: input => {
    if (input.length !== points.FP2_LENGTH) return undefined
    const element = points.decodeFp2(input)
    return element === undefined ? undefined : points.encodeG2(mapToG2([element.c0, element.c1]))
  },
}
