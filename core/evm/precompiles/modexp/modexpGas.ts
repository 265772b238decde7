import { bytesToBigint } from '../../../bytes/integer.ts'
import { inputRange } from '../input.ts'

/** The three lengths at the head of the input, any 256-bit integers, as doubles, which are exact below 2^53. */
export type ModexpLengths = { readonly base: number; readonly exponent: number; readonly modulus: number }

export const modexpLengths = (input: Uint8Array): ModexpLengths => ({
  base: Number(bytesToBigint(inputRange(input, 0, 32))),
  exponent: Number(bytesToBigint(inputRange(input, 32, 32))),
  modulus: Number(bytesToBigint(inputRange(input, 64, 32))),
})

/** The index of the highest set bit in the first 32 bytes of the exponent; 0 when no bit is set. */
const exponentHeadBits = (input: Uint8Array, lengths: ModexpLengths): number => {
  const length = Math.min(lengths.exponent, 32)
  const head = bytesToBigint(inputRange(input, 96 + lengths.base, length))
  return head === 0n ? 0 : head.toString(2).length - 1
}

const iterationCount = (input: Uint8Array, lengths: ModexpLengths, perByte: number): number => {
  const rest = Math.max(0, lengths.exponent - 32)
  return Math.max(1, perByte * rest + exponentHeadBits(input, lengths))
}

/** A longer exponent costs billions of gas with any modulus, and would need more memory than a runtime has. */
const EXPONENT_BYTES_MAX = 2 ** 31

/** The gas; Infinity above the integers that doubles hold exactly, which no gas limit reaches. */
const price = (lengths: ModexpLengths, complexity: number, iterations: number, divisor: number): number => {
  if (complexity > 0 && lengths.exponent > EXPONENT_BYTES_MAX) return Infinity
  const gas = Math.floor((complexity * iterations) / divisor)
  return gas > Number.MAX_SAFE_INTEGER ? Infinity : gas
}

const byzantiumComplexity = (length: number): number => {
  if (length <= 64) return length * length
  if (length <= 1024) return Math.floor((length * length) / 4) + 96 * length - 3072
  return Math.floor((length * length) / 16) + 480 * length - 199_680
}

/** EIP-198. */
export const modexpGasByzantium = (input: Uint8Array): number => {
  const lengths = modexpLengths(input)
  const complexity = byzantiumComplexity(Math.max(lengths.base, lengths.modulus))
  return price(lengths, complexity, iterationCount(input, lengths, 8), 20)
}

/** EIP-2565. */
export const modexpGasBerlin = (input: Uint8Array): number => {
  const lengths = modexpLengths(input)
  const words = Math.ceil(Math.max(lengths.base, lengths.modulus) / 8)
  return Math.max(200, price(lengths, words * words, iterationCount(input, lengths, 8), 3))
}

/** EIP-7883. */
export const modexpGasOsaka = (input: Uint8Array): number => {
  const lengths = modexpLengths(input)
  const longest = Math.max(lengths.base, lengths.modulus)
  const words = Math.ceil(longest / 8)
  const complexity = longest > 32 ? 2 * words * words : 16
  return Math.max(500, price(lengths, complexity, iterationCount(input, lengths, 16), 1))
}
