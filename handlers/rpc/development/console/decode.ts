import { toHex } from '../../../../core/bytes/hex.ts'
import { bytesToBigint } from '../../../../core/bytes/integer.ts'
import { argumentTypes, type ConsoleType } from './signatures.ts'

const WORD = 32
const SELECTOR = 4

export type ConsoleValue = string | bigint | boolean

/** A word of the input, with zeros beyond its end, as the ABI reads calldata. */
const wordAt = (input: Uint8Array, offset: number): Uint8Array => {
  const word = new Uint8Array(WORD)
  word.set(input.subarray(offset, offset + WORD))
  return word
}

/** The bytes at a dynamic argument, as far as the input has them. */
const dynamicAt = (input: Uint8Array, offset: bigint): Uint8Array => {
  if (offset > BigInt(input.length)) return new Uint8Array()
  const at = Number(offset)
  const size = bytesToBigint(wordAt(input, at))
  const end = size > BigInt(input.length) ? input.length : at + WORD + Number(size)
  return input.subarray(at + WORD, end)
}

const decodeOne = (input: Uint8Array, type: ConsoleType, index: number): ConsoleValue => {
  const word = wordAt(input, index * WORD)
  switch (type) {
    case 'uint256':
      return bytesToBigint(word)
    case 'int256':
      return BigInt.asIntN(256, bytesToBigint(word))
    case 'bool':
      return bytesToBigint(word) !== 0n
    case 'address':
      return toHex(word.subarray(WORD - 20))
    case 'string':
      return new TextDecoder().decode(dynamicAt(input, bytesToBigint(word)))
    case 'bytes':
      return toHex(dynamicAt(input, bytesToBigint(word)))
    default:
      return toHex(word.subarray(0, Number(type.slice('bytes'.length))))
  }
}

/** The arguments of a call to the console; undefined for an unknown function. */
export const decodeConsoleCall = (input: Uint8Array): readonly ConsoleValue[] | undefined => {
  if (input.length < SELECTOR) return undefined
  const body = input.subarray(SELECTOR)
  return argumentTypes(input.subarray(0, SELECTOR))?.map((type, index) => decodeOne(body, type, index))
}
