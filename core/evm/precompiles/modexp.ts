import { EMPTY_BYTES } from '../../bytes/bytes.ts'
import { bigintToFixedBytes, bytesToBigint } from '../../bytes/integer.ts'
import { inputRange } from './input.ts'
import { modexpGasBerlin, modexpGasByzantium, modexpGasOsaka, modexpLengths } from './modexpGas.ts'
import { powerModulo } from './powerModulo.ts'
import type { Precompile } from './precompile.ts'

/** EIP-7823: from Osaka no operand is longer. */
const OPERAND_BYTES_MAX = 1024

/** EIP-198: base to the exponent modulo the modulus, as long as the modulus; zero where the modulus is zero. */
const modexp = (input: Uint8Array): Uint8Array | undefined => {
  const lengths = modexpLengths(input)
  if (lengths.modulus === 0) return EMPTY_BYTES
  // Gas is charged before: a base or modulus that no gas could pay for does not come here, an exponent neither.
  const base = bytesToBigint(inputRange(input, 96, lengths.base))
  const exponent = inputRange(input, 96 + lengths.base, lengths.exponent)
  const modulus = bytesToBigint(inputRange(input, 96 + lengths.base + lengths.exponent, lengths.modulus))
  if (modulus === 0n) return new Uint8Array(lengths.modulus)
  return bigintToFixedBytes(powerModulo(base, exponent, modulus), lengths.modulus)
}

export const MODEXP_BYZANTIUM: Precompile = { name: 'MODEXP', gas: modexpGasByzantium, run: modexp }
export const MODEXP_BERLIN: Precompile = { name: 'MODEXP', gas: modexpGasBerlin, run: modexp }

export const MODEXP_OSAKA: Precompile = {
  name: 'MODEXP',
  gas: modexpGasOsaka,
  run: input => {
    const { base, exponent, modulus } = modexpLengths(input)
    if (Math.max(base, exponent, modulus) > OPERAND_BYTES_MAX) return undefined
    return modexp(input)
  },
}
