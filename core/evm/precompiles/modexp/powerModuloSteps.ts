import type { Steps } from '../../../steps.ts'
import { type Digits, moduloSteps, multiplySteps } from './bigModulo.ts'
import { powerOfSmallSteps, powerByByte, SMALL_MODULUS_MAX, windowPowers } from './powerModulo.ts'

/** Bytes of an operand up to which one multiplication and division take at most some 100 microseconds. */
export const SHORT_OPERAND_BYTES = 1024

/** Multiplications between two yields: at most some milliseconds. */
const PRODUCTS_AT_ONCE = 32

/** As `powerModulo`, in steps, for operands of at most SHORT_OPERAND_BYTES and an exponent of any length. */
export function* powerModuloSteps(base: bigint, exponent: Uint8Array, modulus: bigint): Steps<bigint> {
  const residue = base % modulus
  if (modulus <= SMALL_MODULUS_MAX)
    return BigInt(yield* powerOfSmallSteps(Number(residue), exponent, Number(modulus)))
  const powers = windowPowers(residue, modulus)
  let result = 1n
  for (let i = 0; i < exponent.length; i++) {
    result = powerByByte(result, exponent[i] as number, powers, modulus)
    if (i % (PRODUCTS_AT_ONCE / 8) === 0) yield
  }
  return result
}

/** As `powerModuloSteps`, for operands of any length. */
export function* longPowerModuloSteps(base: Digits, exponent: Uint8Array, modulus: Digits): Steps<Digits> {
  const residue = yield* moduloSteps(base, modulus)
  let result: Digits = yield* moduloSteps([1n], modulus)
  let hasBegun = false
  for (const byte of exponent) {
    for (let bit = 7; bit >= 0; bit--) {
      const isSet = ((byte >>> bit) & 1) === 1
      if (!hasBegun && !isSet) continue
      if (hasBegun) result = yield* moduloSteps(yield* multiplySteps(result, result), modulus)
      if (isSet) result = yield* moduloSteps(yield* multiplySteps(result, residue), modulus)
      hasBegun = true
    }
    yield
  }
  return result
}
