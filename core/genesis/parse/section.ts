import { type Address, padStartBytes } from '../../bytes/bytes.ts'
import { fromHex } from '../../bytes/hex.ts'
import { GenesisError } from '../error.ts'

/** An object of the genesis file: its values by lower-case key, with its path. */
export type Section = {
  readonly path: string
  readonly entries: ReadonlyMap<string, Entry>
  /** Requested keys by their lower case, with the spelling of Besu's documentation. */
  readonly known: Map<string, string>
}

/** A value with its path as spelled in the file. */
export type Entry = { readonly path: string; readonly value: unknown }

const LONG_MAX = 2n ** 63n - 1n
const INT_MAX = 2n ** 31n - 1n

const kindOf = (value: unknown): string => {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return typeof value === 'bigint' ? 'number' : typeof value
}

const wrongKind = ({ path, value }: Entry, expected: string): GenesisError =>
  new GenesisError('INVALID_VALUE', path, `Expected ${expected} value but got ${kindOf(value)}`)

/** One section for each object of a file, so that it knows every key that was looked up. */
const sections = new WeakMap<object, Section>()

/**
 * @param known a map that several sections share, for lists of thousands of objects; by default each section has its own.
 * @throws GenesisError with Besu's text when the value is not an object, or two keys differ only in case.
 */
export const sectionOf = (entry: Entry, known?: Section['known']): Section => {
  const { path, value } = entry
  if (kindOf(value) !== 'object') throw wrongKind(entry, 'object')
  const before = sections.get(value as object)
  if (before !== undefined) return before
  const entries = new Map<string, Entry>()
  for (const [key, member] of Object.entries(value as object)) {
    const lower = key.toLowerCase()
    const memberPath = path === '' ? key : `${path}.${key}`
    const other = entries.get(lower)
    if (other !== undefined)
      throw new GenesisError('CONTRADICTION', memberPath, `given twice, also as ${other.path}: keep one`)
    entries.set(lower, { path: memberPath, value: member })
  }
  if (known !== undefined) return { path, entries, known }
  const section: Section = { path, entries, known: new Map() }
  sections.set(value as object, section)
  return section
}

/** The entry of a key, as spelled in Besu's documentation; null counts as absent. */
export const entryOf = (section: Section, key: string): Entry | undefined => {
  const lower = key.toLowerCase()
  section.known.set(lower, key)
  const entry = section.entries.get(lower)
  return entry?.value === null ? undefined : entry
}

export const subsection = (section: Section, key: string): Section | undefined => {
  const entry = entryOf(section, key)
  return entry === undefined ? undefined : sectionOf(entry)
}

/** The result of `reader` for the entry, or `missing` if there is none. */
export const read = <T>(section: Section, key: string, reader: (entry: Entry) => T, missing: T): T => {
  const entry = entryOf(section, key)
  return entry === undefined ? missing : reader(entry)
}

const optional =
  <T>(read: (entry: Entry) => T) =>
  (section: Section, key: string): T | undefined => {
    const entry = entryOf(section, key)
    return entry === undefined ? undefined : read(entry)
  }

const integer = (entry: Entry, max: bigint, kind: string): bigint => {
  const { path, value } = entry
  if (typeof value !== 'number' && typeof value !== 'bigint') throw wrongKind(entry, 'number')
  const given = typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : value
  if (typeof given !== 'bigint' || given > max)
    throw new GenesisError('INVALID_VALUE', path, `Cannot convert value to ${kind}: ${value}`)
  if (given < 0n) throw new GenesisError('INVALID_VALUE', path, `must not be negative: ${value}`)
  return given
}

/** A JSON number from 0 to 2^63 - 1; a quoted one is refused, as in Besu. */
export const long = optional(entry => integer(entry, LONG_MAX, 'long'))

/** A JSON number from 0 to 2^31 - 1. */
export const int = optional(entry => Number(integer(entry, INT_MAX, 'integer')))

/** A positive integer, as number or as decimal string. */
export const positiveInt = optional(entry => {
  const text = numberText(entry)
  const value = /^\d{1,10}$/.test(text) ? BigInt(text) : 0n
  if (value === 0n || value > INT_MAX) {
    const key = entry.path.slice(entry.path.lastIndexOf('.') + 1).toLowerCase()
    throw new GenesisError(
      'INVALID_VALUE',
      entry.path,
      `Invalid property value, ${key} should be a positive integer: ${text}`,
    )
  }
  return Number(value)
})

export const boolean = optional(entry => {
  if (typeof entry.value !== 'boolean') throw wrongKind(entry, 'boolean')
  return entry.value
})

/** @throws GenesisError unless the value is a JSON string */
export const stringOf = (entry: Entry): string => {
  if (typeof entry.value !== 'string') throw wrongKind(entry, 'string')
  return entry.value
}

export const string = optional(stringOf)

/** A string, or a number as its digits. @throws GenesisError */
export const numberText = (entry: Entry): string => {
  if (typeof entry.value === 'number' || typeof entry.value === 'bigint') return String(entry.value)
  return stringOf(entry).trim()
}

const bounded = (path: string, value: bigint, bits: number): bigint => {
  if (value >= 1n << BigInt(bits))
    throw new GenesisError('INVALID_VALUE', path, `does not fit into ${bits} bits: 0x${value.toString(16)}`)
  return value
}

/** Hex digits, `0x` optional, from a string or the digits of a number, as Besu reads nonce and difficulty. */
export const hexNumberOf = (entry: Entry, bits: number): bigint => {
  const text = numberText(entry)
  const digits = text.replace(/^0x/i, '')
  if (!/^[0-9a-fA-F]+$/.test(digits))
    throw new GenesisError('INVALID_VALUE', entry.path, `must be a hexadecimal number but was '${text}'`)
  return bounded(entry.path, BigInt(`0x${digits}`), bits)
}

/** Decimal, or hex with `0x`, from a string or a number. */
export const quantityOf = (entry: Entry, bits: number): bigint => {
  const text = numberText(entry)
  if (!/^(0x[0-9a-fA-F]+|0|[1-9][0-9]*)$/i.test(text))
    throw new GenesisError('INVALID_VALUE', entry.path, `must be a number but was '${text}'`)
  return bounded(entry.path, BigInt(text), bits)
}

/** Decimal digits only, from a string or a number: Besu refuses hex for chain id and total difficulty. */
export const decimal = optional(entry => {
  const text = numberText(entry)
  if (!/^(0|[1-9][0-9]*)$/.test(text))
    throw new GenesisError('INVALID_VALUE', entry.path, `must be a decimal number but was '${text}'`)
  return bounded(entry.path, BigInt(text), 256)
})

/** Maximum characters of a wrong value in a message. */
const SHOWN_LENGTH_MAX = 40

/** Whole bytes in hex, `0x` optional. @throws GenesisError */
export const bytesOf = (entry: Entry): Uint8Array => {
  const text = stringOf(entry)
  if (!/^(0x)?[0-9a-fA-F]*$/i.test(text))
    throw new GenesisError(
      'INVALID_VALUE',
      entry.path,
      `must be hexadecimal digits but was '${text.slice(0, SHOWN_LENGTH_MAX)}'`,
    )
  if (text.length % 2 !== 0)
    throw new GenesisError('INVALID_VALUE', entry.path, 'must be an even number of hexadecimal digits')
  return fromHex(text)
}

/** Hex digits padded with zeros on the left to `length` bytes. @throws GenesisError when there are more. */
export const fixedBytes = (path: string, text: string, length: number): Uint8Array => {
  const digits = text.replace(/^0x/i, '')
  if (!/^[0-9a-fA-F]*$/.test(digits) || digits.length > 2 * length)
    throw new GenesisError('INVALID_VALUE', path, `must be at most ${length} bytes in hexadecimal digits`)
  return padStartBytes(fromHex(digits.length % 2 === 0 ? digits : `0${digits}`), length)
}

/** Exactly 20 bytes in hex, `0x` optional. @throws GenesisError with `problem` */
export const addressOf = (
  entry: Entry,
  problem = 'must be an address: 0x and 40 hexadecimal digits',
): Address => {
  const text = stringOf(entry).trim()
  if (!/^(0x)?[0-9a-fA-F]{40}$/i.test(text)) throw new GenesisError('INVALID_VALUE', entry.path, problem)
  return fromHex(text)
}

export const address = optional(entry => addressOf(entry))

/** The elements of an array, each with its path. @throws GenesisError */
export const elementsOf = (entry: Entry): readonly Entry[] => {
  if (!Array.isArray(entry.value)) throw wrongKind(entry, 'array')
  return entry.value.map((value: unknown, index) => ({ path: `${entry.path}[${index}]`, value }))
}
