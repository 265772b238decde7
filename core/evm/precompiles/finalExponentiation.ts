import type { bls12_381 } from '@noble/curves/bls12-381.js'
import type { Steps } from '../../steps.ts'

type Fields = Pick<typeof bls12_381.fields, 'Fp6' | 'Fp12'>
type Fp12Element = ReturnType<Fields['Fp12']['finalExponentiate']>

/**
 * True when the final exponentiation of a product of Miller loops is one. Computes the coefficients of the Frobenius maps
 * in separate steps: on Node the first call takes 60 ms with them.
 */
export function* isPairingIdentitySteps({ Fp6, Fp12 }: Fields, product: Fp12Element): Steps<boolean> {
  Fp6.frobeniusMap(Fp6.ONE, 1)
  yield
  Fp12.frobeniusMap(Fp12.ONE, 1)
  yield
  return Fp12.eql(Fp12.finalExponentiate(product), Fp12.ONE)
}
