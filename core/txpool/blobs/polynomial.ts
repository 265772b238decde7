import { FFT, rootsOfUnity } from '@noble/curves/abstract/fft.js'
import { bls12_381 } from '@noble/curves/bls12-381.js'
import { bytesToBigint } from '../../bytes/integer.ts'

const { Fr } = bls12_381.fields

/** EIP-4844. */
export const BLOB_ELEMENTS = 4096
const ELEMENT_BYTES = 32

/** A generator of the field's multiplicative group, whose powers are the roots of unity of EIP-4844. */
const ROOTS = rootsOfUnity(Fr, 7n)
const TRANSFORM = FFT(ROOTS, Fr)

/**
 * The coefficients, lowest first, of the polynomial whose values are the elements of a blob; undefined when one of them is not
 * in the field.
 */
export const polynomialOf = (blob: Uint8Array): readonly bigint[] | undefined => {
  const values: bigint[] = []
  for (let at = 0; at < blob.length; at += ELEMENT_BYTES) {
    const value = bytesToBigint(blob.subarray(at, at + ELEMENT_BYTES))
    if (value >= Fr.ORDER) return undefined
    values.push(value)
  }
  // The values are in bit-reversed order.
  return TRANSFORM.inverse(values, true, false)
}

export const evaluate = (polynomial: readonly bigint[], at: bigint): bigint =>
  polynomial.reduceRight((sum, coefficient) => Fr.add(Fr.mul(sum, at), coefficient), 0n)

/** The root of unity of order 2^bits, to the power of `index` with its bits reversed. */
export const rootAt = (index: number, bits: number): bigint => ROOTS.brp(bits)[index] as bigint
