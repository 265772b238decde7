import { EMPTY_BYTES } from '../../../bytes/bytes.ts'
import { bigintToFixedBytes, bytesToBigint } from '../../../bytes/integer.ts'
import { inputRange } from '../input.ts'
import { modexpGasBerlin, modexpGasByzantium, modexpGasOsaka, modexpLengths } from './modexpGas.ts'
import { runSteps, type Steps } from '../../../steps.ts'
import { bytesOfDigits, digitsOf } from './bigModulo.ts'
import { powerModulo } from './powerModulo.ts'
import { longPowerModuloSteps, powerModuloSteps, SHORT_OPERAND_BYTES } from './powerModuloSteps.ts'
import type { Precompile } from '../precompile.ts'

/** EIP-7823: the longest operand from Osaka on. */
const OPERAND_BYTES_MAX = 1024

/** EIP-198: base to the exponent modulo the modulus, with the length of the modulus; zero when the modulus is zero. */
const modexp = (input: Uint8Array): Uint8Array | undefined => {
  const lengths = modexpLengths(input)
  if (lengths.modulus === 0) return EMPTY_BYTES
  // Gas was charged before, so no operand is longer than gas can pay for.
  const base = bytesToBigint(inputRange(input, 96, lengths.base))
  const exponent = inputRange(input, 96 + lengths.base, lengths.exponent)
  const modulus = bytesToBigint(inputRange(input, 96 + lengths.base + lengths.exponent, lengths.modulus))
  if (modulus === 0n) return new Uint8Array(lengths.modulus)
  return bigintToFixedBytes(powerModulo(base, exponent, modulus), lengths.modulus)
}

/** The part of a range that the input has; zeros follow it. */
const rangeOf = (input: Uint8Array, start: number, length: number): Uint8Array =>
  input.subarray(Math.min(start, input.length), Math.min(start + length, input.length))

function* modexpSteps(input: Uint8Array): Steps<Uint8Array | undefined> {
  const lengths = modexpLengths(input)
  if (lengths.modulus === 0) return EMPTY_BYTES
  const exponentAt = 96 + lengths.base
  const modulusAt = exponentAt + lengths.exponent
  const exponent = inputRange(input, exponentAt, lengths.exponent)
  if (Math.max(lengths.base, lengths.modulus) <= SHORT_OPERAND_BYTES) {
    const base = bytesToBigint(inputRange(input, 96, lengths.base))
    const modulus = bytesToBigint(inputRange(input, modulusAt, lengths.modulus))
    if (modulus === 0n) return new Uint8Array(lengths.modulus)
    return bigintToFixedBytes(yield* powerModuloSteps(base, exponent, modulus), lengths.modulus)
  }
  const base = yield* digitsOf(rangeOf(input, 96, lengths.base), lengths.base)
  const modulus = yield* digitsOf(rangeOf(input, modulusAt, lengths.modulus), lengths.modulus)
  if (modulus.length === 0) return new Uint8Array(lengths.modulus)
  return yield* bytesOfDigits(yield* longPowerModuloSteps(base, exponent, modulus), lengths.modulus)
}

/** Runs without a yield. Long operands use the digits of `modexpSteps`, because some runtimes have no such long bigint. */
const modexpWithoutYield = (input: Uint8Array): Uint8Array | undefined => {
  const { base, modulus } = modexpLengths(input)
  return Math.max(base, modulus) <= SHORT_OPERAND_BYTES ? modexp(input) : runSteps(modexpSteps(input))
}

export const MODEXP_BYZANTIUM: Precompile = {
  name: 'MODEXP',
  gas: modexpGasByzantium,
  run: modexpWithoutYield,
  steps: modexpSteps,
}
export const MODEXP_BERLIN: Precompile = {
  name: 'MODEXP',
  gas: modexpGasBerlin,
  run: modexpWithoutYield,
  steps: modexpSteps,
}

export const MODEXP_OSAKA: Precompile = {
  name: 'MODEXP',
  gas: modexpGasOsaka,
  run: input => {
    const { base, exponent, modulus } = modexpLengths(input)
    if (Math.max(base, exponent, modulus) > OPERAND_BYTES_MAX) return undefined
    return modexp(input)
  },
  steps: function* (input) {
    const { base, exponent, modulus } = modexpLengths(input)
    if (Math.max(base, exponent, modulus) > OPERAND_BYTES_MAX) return undefined
    return yield* modexpSteps(input)
  },
}
