import { type ConstValueNode, GraphQLError, GraphQLScalarType, Kind } from 'graphql'
import { toHex, toQuantity } from '../../core/bytes/hex.ts'
import { valueText } from './validation/valueText.ts'

/** Conversion of input; undefined for invalid input. */
type Coercion<T> = {
  readonly ofString: (text: string) => T | undefined
  /** A literal integer, its digits. */
  readonly ofInteger?: (digits: string) => T | undefined
  /** A number of JSON, in variables. */
  readonly ofNumber?: (value: number) => T | undefined
}

const INT64_MIN = -(2n ** 63n)
const UINT64_MAX = 2n ** 64n - 1n
/** Maximum number of digits: 64 in hex, and the decimal equivalent. */
const DIGITS_MAX = 80

const inRange = (value: bigint, min: bigint, max: bigint): bigint | undefined =>
  value >= min && value <= max ? value : undefined

const long = (value: bigint): bigint | undefined => inRange(value, INT64_MIN, UINT64_MAX)
const uint256 = (value: bigint): bigint | undefined => inRange(value, 0n, 2n ** 256n - 1n)

const integerOf = (digits: string, pattern: RegExp, prefix = ''): bigint | undefined =>
  digits.length <= DIGITS_MAX && pattern.test(digits) ? BigInt(prefix + digits) : undefined

const decimalOf = (text: string): bigint | undefined => integerOf(text.replace(/^\+/, ''), /^-?\d+$/)
const hexOf = (digits: string): bigint | undefined => integerOf(digits || '0', /^[0-9a-f]+$/i, '0x')

const mapped = <T>(value: bigint | undefined, map: (value: bigint) => T | undefined): T | undefined =>
  value === undefined ? undefined : map(value)

const LONG: Coercion<bigint> = {
  ofString: text => mapped(/^0x/i.test(text) ? hexOf(text.slice(2)) : decimalOf(text), long),
  ofInteger: digits => mapped(decimalOf(digits), long),
  ofNumber: value => (Number.isSafeInteger(value) ? BigInt(value) : undefined),
}

/** Besu's rule: a string is hex even without 0x, and a JSON number is refused. */
const BIG_INT: Coercion<bigint> = {
  ofString: text => mapped(hexOf(text.replace(/^0x/i, '')), uint256),
  ofInteger: digits => mapped(decimalOf(digits), uint256),
}

const ADDRESS: Coercion<string> = {
  ofString: text => {
    const digits = /^(?:0x)?([0-9a-f]{40})$/i.exec(text)?.[1]
    return digits === undefined ? undefined : `0x${digits.toLowerCase()}`
  },
}

const requirePrefix = (name: string, text: string): string => {
  if (!text.startsWith('0x')) throw new GraphQLError(`${name} value '${text}' is not prefixed with 0x`)
  return text.slice(2)
}

const BYTES: Coercion<string> = {
  ofString: text => {
    const digits = requirePrefix('Bytes', text)
    if (!/^[0-9a-f]*$/i.test(digits)) return undefined
    return `0x${digits.length % 2 === 0 ? '' : '0'}${digits.toLowerCase()}`
  },
}

/** 32 bytes; fewer are padded in front. */
const word = (name: string): Coercion<string> => ({
  ofString: text => {
    const digits = requirePrefix(name, text)
    return /^[0-9a-f]{0,64}$/i.test(digits) ? `0x${digits.toLowerCase().padStart(64, '0')}` : undefined
  },
})

/** Resolvers return bytes, integers, or finished hex. */
const output = (value: unknown): string => {
  if (typeof value === 'string') return value
  return value instanceof Uint8Array ? toHex(value) : toQuantity(value as bigint | number)
}

const scalar = <T>(
  name: string,
  description: string,
  { ofString, ofInteger, ofNumber }: Coercion<T>,
): GraphQLScalarType =>
  new GraphQLScalarType({
    name,
    description,
    coerceOutputValue: output,
    coerceInputValue: input => {
      const value =
        typeof input === 'string'
          ? ofString(input)
          : typeof input === 'number'
            ? ofNumber?.(input)
            : undefined
      if (value === undefined)
        throw new GraphQLError(`Unable to parse variable value ${inputText(input)} as an ${name}`)
      return value
    },
    coerceInputLiteral: (node: ConstValueNode) => {
      const value =
        node.kind === Kind.STRING
          ? ofString(node.value)
          : node.kind === Kind.INT
            ? ofInteger?.(node.value)
            : undefined
      if (value === undefined) throw new GraphQLError(`Value is not any ${name} : '${valueText(node)}'`)
      return value
    },
  })

const inputText = (input: unknown): string =>
  typeof input === 'string' ? input : (JSON.stringify(input) ?? String(input))

/** The scalars by name. Resolvers receive addresses and bytes as lower-case hex with 0x, integers as bigints. */
export const SCALAR_TYPES: Readonly<Record<string, GraphQLScalarType>> = {
  Address: scalar('Address', 'A 20 byte account address, lower-case hexadecimal with 0x.', ADDRESS),
  BigInt: scalar(
    'BigInt',
    'A large unsigned integer. As input a string is hexadecimal, with or without 0x ("10" is sixteen), and a literal integer counts as it is. Output is 0x-prefixed hexadecimal.',
    BIG_INT,
  ),
  Bytes: scalar(
    'Bytes',
    'A binary string of any length, 0x-prefixed hexadecimal; 0x where it is empty.',
    BYTES,
  ),
  Bytes32: scalar(
    'Bytes32',
    'A 32 byte binary string, 0x-prefixed hexadecimal. Shorter input is padded with zeros in front.',
    word('Bytes32'),
  ),
  Hash: scalar('Hash', 'A 32 byte keccak-256 hash, 0x-prefixed hexadecimal.', word('Hash')),
  LogTopic: scalar('LogTopic', 'A topic of a log, 32 bytes, 0x-prefixed hexadecimal.', word('LogTopic')),
  VersionedHash: scalar(
    'VersionedHash',
    'A 32 byte versioned hash of a blob, 0x-prefixed hexadecimal.',
    word('VersionedHash'),
  ),
  Long: scalar(
    'Long',
    'A 64 bit integer. Input is an integer, or a string that is 0x-prefixed hexadecimal or decimal. Output is 0x-prefixed hexadecimal.',
    LONG,
  ),
}
