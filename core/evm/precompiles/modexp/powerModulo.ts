import type { Steps } from '../../../steps.ts'

/** Bits of the exponent per step: fifteen precomputed powers save most multiplications besides the squarings. */
const WINDOW_BITS = 4

/** Up to this modulus products of residues are exact in doubles, which need no allocation. */
export const SMALL_MODULUS_MAX = 0x4000000n

/** Bytes of the exponent between two yields: about a millisecond. */
const BYTES_AT_ONCE = 8192

/** `base` to the exponent modulo a small modulus, in steps. */
export function* powerOfSmallSteps(base: number, exponent: Uint8Array, modulus: number): Steps<number> {
  let result = 1 % modulus
  for (let at = 0; at < exponent.length; at += BYTES_AT_ONCE) {
    result = smallPower(base, exponent.subarray(at, at + BYTES_AT_ONCE), modulus, result)
    yield
  }
  return result
}

/** Continues from `first`, the power by the preceding bytes of the exponent. */
const smallPower = (base: number, exponent: Uint8Array, modulus: number, first = 1 % modulus): number => {
  const inverse = 1 / modulus
  // The quotient by the rounded inverse is off by at most one; `%` of doubles would be ten times as slow.
  const reduce = (product: number): number => {
    const rest = product - Math.floor(product * inverse) * modulus
    return rest < 0 ? rest + modulus : rest >= modulus ? rest - modulus : rest
  }
  let result = first
  for (let i = 0; i < exponent.length; i++) {
    const byte = exponent[i] as number
    for (let bit = 7; bit >= 0; bit--) {
      result = reduce(result * result)
      if ((byte >>> bit) & 1) result = reduce(result * base)
    }
  }
  return result
}

/** The powers of the residue by each digit of the exponent. */
export const windowPowers = (residue: bigint, modulus: bigint): readonly bigint[] => {
  const powers: bigint[] = [1n]
  for (let i = 1; i < 1 << WINDOW_BITS; i++) powers.push(((powers[i - 1] as bigint) * residue) % modulus)
  return powers
}

/** The power by an exponent that is a byte longer. */
export const powerByByte = (
  power: bigint,
  byte: number,
  powers: readonly bigint[],
  modulus: bigint,
): bigint => {
  let result = power
  for (const digit of [byte >>> WINDOW_BITS, byte & 15]) {
    for (let k = 0; k < WINDOW_BITS; k++) result = (result * result) % modulus
    if (digit !== 0) result = (result * (powers[digit] as bigint)) % modulus
  }
  return result
}

/** `base` to the big-endian `exponent`, modulo a positive `modulus`; the time depends only on the lengths. */
export const powerModulo = (base: bigint, exponent: Uint8Array, modulus: bigint): bigint => {
  const residue = base % modulus
  if (modulus <= SMALL_MODULUS_MAX) return BigInt(smallPower(Number(residue), exponent, Number(modulus)))
  const powers = windowPowers(residue, modulus)
  let result = 1n
  for (let i = 0; i < exponent.length; i++)
    result = powerByByte(result, exponent[i] as number, powers, modulus)
  return result
}
