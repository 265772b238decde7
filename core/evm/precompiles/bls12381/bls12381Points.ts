import { bls12_381 } from '@noble/curves/bls12-381.js'
import { bigintToFixedBytes, bytesToBigint } from '../../../bytes/integer.ts'

/** EIP-2537 encodings: a field element is 64 bytes, a G1 point 128, a G2 point 256; all zeros is infinity. */
export const FP_LENGTH = 64
export const FP2_LENGTH = 128
export const G1_LENGTH = 128
export const G2_LENGTH = 256

const { Fp, Fp2 } = bls12_381.fields
const G1 = bls12_381.G1.Point
const G2 = bls12_381.G2.Point
export type G1Point = InstanceType<typeof G1>
export type G2Point = InstanceType<typeof G2>
export type Fp2Element = ReturnType<typeof Fp2.create>

const G1_B = 4n
const G2_B = Fp2.create({ c0: 4n, c1: 4n })

/** A field element; undefined when it is not below the prime. */
export const decodeFp = (bytes: Uint8Array): bigint | undefined => {
  const value = bytesToBigint(bytes)
  return value < Fp.ORDER ? value : undefined
}

export const decodeFp2 = (bytes: Uint8Array): Fp2Element | undefined => {
  const c0 = decodeFp(bytes.subarray(0, FP_LENGTH))
  const c1 = decodeFp(bytes.subarray(FP_LENGTH, FP2_LENGTH))
  return c0 === undefined || c1 === undefined ? undefined : Fp2.create({ c0, c1 })
}

/** A point of the curve, of any order: additions do not check the subgroup. */
export const decodeG1 = (bytes: Uint8Array): G1Point | undefined => {
  const x = decodeFp(bytes.subarray(0, FP_LENGTH))
  const y = decodeFp(bytes.subarray(FP_LENGTH, G1_LENGTH))
  if (x === undefined || y === undefined) return undefined
  if (x === 0n && y === 0n) return G1.ZERO
  const onCurve = Fp.eql(Fp.sqr(y), Fp.add(Fp.mul(Fp.sqr(x), x), G1_B))
  return onCurve ? G1.fromAffine({ x, y }) : undefined
}

export const decodeG2 = (bytes: Uint8Array): G2Point | undefined => {
  const x = decodeFp2(bytes.subarray(0, FP2_LENGTH))
  const y = decodeFp2(bytes.subarray(FP2_LENGTH, G2_LENGTH))
  if (x === undefined || y === undefined) return undefined
  if (Fp2.is0(x) && Fp2.is0(y)) return G2.ZERO
  const onCurve = Fp2.eql(Fp2.sqr(y), Fp2.add(Fp2.mul(Fp2.sqr(x), x), G2_B))
  return onCurve ? G2.fromAffine({ x, y }) : undefined
}

/** A point of the subgroup, as multiplications and pairings require; undefined for any other point. */
export const decodeSubgroupG1 = (bytes: Uint8Array): G1Point | undefined => {
  const point = decodeG1(bytes)
  return point === undefined || (!point.is0() && !point.isTorsionFree()) ? undefined : point
}

export const decodeSubgroupG2 = (bytes: Uint8Array): G2Point | undefined => {
  const point = decodeG2(bytes)
  return point === undefined || (!point.is0() && !point.isTorsionFree()) ? undefined : point
}

export const encodeG1 = (point: G1Point): Uint8Array => {
  const { x, y } = point.toAffine()
  const output = new Uint8Array(G1_LENGTH)
  output.set(bigintToFixedBytes(x, FP_LENGTH), 0)
  output.set(bigintToFixedBytes(y, FP_LENGTH), FP_LENGTH)
  return output
}

export const encodeG2 = (point: G2Point): Uint8Array => {
  const { x, y } = point.toAffine()
  const output = new Uint8Array(G2_LENGTH)
  const parts = [x.c0, x.c1, y.c0, y.c1]
  parts.forEach((part, index) => output.set(bigintToFixedBytes(part, FP_LENGTH), index * FP_LENGTH))
  return output
}
