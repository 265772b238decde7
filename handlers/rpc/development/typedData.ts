import { isObject, type JsonObject } from '../../../core/json.ts'
import { bigintToFixedBytes } from '../../../core/bytes/integer.ts'
import { concatBytes, type Hash, padStartBytes, ZERO_HASH } from '../../../core/bytes/bytes.ts'
import { keccak256 } from '../../../core/crypto/crypto.ts'
import { RpcError } from '../errors.ts'
import { addressOf, flagOf, prefixedBytesOf } from '../parameters/values.ts'

type Member = { readonly name: string; readonly type: string }
type Types = Readonly<Record<string, readonly Member[]>>
/** Maximum nesting of structs and arrays, and maximum number of values: more than any wallet shows. */
const DEPTH_MAX = 32
const VALUES_MAX = 10_000

const DOMAIN = 'EIP712Domain'
const ARRAY = /^(.*)\[(\d*)\]$/
const INTEGER = /^(u?)int(\d{1,3})?$/
const FIXED_BYTES = /^bytes(\d{1,2})$/
const PREFIX = Uint8Array.of(0x19, 0x01)

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

const invalid = (reason: string): never => {
  throw new RpcError('INVALID_PARAMS', { detail: `typed data: ${reason}` })
}

/** The struct type at the bottom of an array type. */
const baseOf = (type: string): string => {
  const array = ARRAY.exec(type)
  return array === null ? type : baseOf(array[1] as string)
}

/** The types that a struct refers to, itself included. */
const referredBy = (types: Types, name: string, found = new Set<string>()): ReadonlySet<string> => {
  if (types[name] === undefined || found.has(name)) return found
  found.add(name)
  for (const { type } of types[name]) referredBy(types, baseOf(type), found)
  return found
}

const signatureOf = (types: Types, name: string): string =>
  `${name}(${(types[name] ?? []).map(member => `${member.type} ${member.name}`).join(',')})`

/** EIP-712's encodeType: the struct, then the structs that it refers to by name. */
const encodeType = (types: Types, name: string): string => {
  const others = [...referredBy(types, name)].filter(other => other !== name).sort()
  return [name, ...others].map(one => signatureOf(types, one)).join('')
}

const integerOfText = (value: unknown): bigint | undefined => {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : undefined
  if (typeof value !== 'string' || !/^(-?\d{1,78}|0x[0-9a-fA-F]{1,64})$/.test(value)) return undefined
  return BigInt(value)
}

const integerWord = (type: string, isUnsigned: boolean, bits: number, value: unknown): Uint8Array => {
  const integer = integerOfText(value) ?? invalid(`${type} needs an integer`)
  const [least, most] = isUnsigned
    ? [0n, (1n << BigInt(bits)) - 1n]
    : [-(1n << BigInt(bits - 1)), (1n << BigInt(bits - 1)) - 1n]
  if (integer < least || integer > most) return invalid(`${integer} is outside ${type}`)
  return bigintToFixedBytes(BigInt.asUintN(256, integer), 32)
}

type Encoding = { readonly types: Types; values: number }

const atomWord = (type: string, value: unknown): Uint8Array => {
  if (type === 'string')
    return typeof value === 'string' ? keccak256(utf8(value)) : invalid('string needs a text')
  if (type === 'bytes') return keccak256(prefixedBytesOf(value) ?? invalid('bytes needs bytes in hex'))
  if (type === 'bool')
    return bigintToFixedBytes((flagOf(value) ?? invalid('bool needs true or false')) ? 1n : 0n, 32)
  if (type === 'address')
    return padStartBytes(addressOf(value) ?? invalid('address needs 20 bytes in hex'), 32)
  const integer = INTEGER.exec(type)
  if (integer !== null) return integerWord(type, integer[1] === 'u', Number(integer[2] ?? 256), value)
  const fixed = FIXED_BYTES.exec(type)
  const length = Number(fixed?.[1] ?? 0)
  if (length < 1 || length > 32) return invalid(`the type ${type} is unknown`)
  const bytes = prefixedBytesOf(value)
  if (bytes?.length !== length) return invalid(`${type} needs ${length} bytes in hex`)
  return concatBytes(bytes, new Uint8Array(32 - length))
}

const wordOf = (encoding: Encoding, type: string, value: unknown, depth: number): Uint8Array => {
  if (depth > DEPTH_MAX || ++encoding.values > VALUES_MAX) return invalid('too large')
  const array = ARRAY.exec(type)
  if (array !== null) {
    const [, item = '', length = ''] = array
    if (!Array.isArray(value) || (length !== '' && value.length !== Number(length)))
      return invalid(`${type} needs an array of that length`)
    return keccak256(concatBytes(...value.map(one => wordOf(encoding, item, one, depth + 1))))
  }
  if (encoding.types[type] === undefined) return atomWord(type, value)
  // As in every wallet: a missing struct is zero.
  return value === null || value === undefined ? ZERO_HASH : structHash(encoding, type, value, depth + 1)
}

function structHash(encoding: Encoding, name: string, value: unknown, depth: number): Hash {
  const { types } = encoding
  if (!isObject(value)) return invalid(`${name} needs an object`)
  const words = (types[name] ?? []).map(member => wordOf(encoding, member.type, value[member.name], depth))
  return keccak256(concatBytes(keccak256(utf8(encodeType(types, name))), ...words))
}

const isMember = (value: unknown): value is Member =>
  isObject(value) && typeof value['name'] === 'string' && typeof value['type'] === 'string'

const typesOf = (value: unknown): Types => {
  if (!isObject(value)) return invalid('types is an object')
  for (const [name, members] of Object.entries(value))
    if (!Array.isArray(members) || !members.every(isMember))
      return invalid(`types.${name} is an array of name and type`)
  return value as Types
}

/** Members of a domain without a declared type, in the order of EIP-712. */
const DOMAIN_MEMBERS: readonly Member[] = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
  { name: 'salt', type: 'bytes32' },
]

const withDomain = (types: Types, domain: JsonObject): Types =>
  types[DOMAIN] === undefined
    ? { ...types, [DOMAIN]: DOMAIN_MEMBERS.filter(({ name }) => domain[name] !== undefined) }
    : types

const parsed = (value: unknown): unknown => {
  if (typeof value !== 'string') return value
  try {
    return JSON.parse(value) as unknown
  } catch {
    return invalid('not JSON')
  }
}

/** The hash that eth_signTypedData_v4 signs (EIP-712), of an object or its JSON text. @throws RpcError */
export const typedDataHash = (value: unknown): Hash => {
  const data = parsed(value)
  if (!isObject(data) || !isObject(data['domain']))
    return invalid('types, primaryType, domain and message are needed')
  const { domain, primaryType, message } = data as {
    domain: JsonObject
    primaryType?: unknown
    message?: unknown
  }
  const types = withDomain(typesOf(data['types']), domain)
  if (typeof primaryType !== 'string' || types[primaryType] === undefined)
    return invalid('primaryType names no type')
  const encoding: Encoding = { types, values: 0 }
  const separator = structHash(encoding, DOMAIN, domain, 0)
  const parts = primaryType === DOMAIN ? [] : [structHash(encoding, primaryType, message, 0)]
  return keccak256(concatBytes(PREFIX, separator, ...parts))
}

/** The hash that eth_sign and personal_sign sign (EIP-191, version 0x45). */
export const messageHash = (message: Uint8Array): Hash =>
  keccak256(concatBytes(utf8(`\u0019Ethereum Signed Message:\n${message.length}`), message))
