import { GenesisError } from '../error.ts'

/** Maximum nesting: a genesis file nests five levels, and parsing recurses. */
const JSON_DEPTH_MAX = 64

type Cursor = { readonly text: string; position: number }

const NUMBER = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y
const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
}
const LITERALS: readonly (readonly [string, boolean | null])[] = [
  ['true', true],
  ['false', false],
  ['null', null],
]

const fail = (cursor: Cursor, problem: string): never => {
  const before = cursor.text.slice(0, cursor.position)
  const line = before.split('\n').length
  const column = cursor.position - before.lastIndexOf('\n')
  throw new GenesisError('SYNTAX', '', `not valid JSON: ${problem} at line ${line}, column ${column}`)
}

const found = ({ text, position }: Cursor): string => {
  const character = text[position]
  return character === undefined ? 'the end of the file' : JSON.stringify(character)
}

const skipSpace = (cursor: Cursor): void => {
  for (;;) {
    const code = cursor.text.charCodeAt(cursor.position)
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return
    cursor.position++
  }
}

const take = (cursor: Cursor, character: string): boolean => {
  skipSpace(cursor)
  if (cursor.text[cursor.position] !== character) return false
  cursor.position++
  return true
}

const expect = (cursor: Cursor, character: string): void => {
  if (!take(cursor, character)) fail(cursor, `"${character}" expected, ${found(cursor)} found`)
}

const parseEscape = (cursor: Cursor): string => {
  const character = cursor.text[cursor.position] ?? ''
  const plain = ESCAPES[character]
  if (plain !== undefined) {
    cursor.position++
    return plain
  }
  const digits = cursor.text.slice(cursor.position + 1, cursor.position + 5)
  if (character !== 'u' || !/^[0-9a-fA-F]{4}$/.test(digits)) return fail(cursor, 'unknown escape in a string')
  cursor.position += 5
  return String.fromCharCode(Number.parseInt(digits, 16))
}

/** End of the literal characters: at a quote, a backslash, a control character or the end. */
const endOfPlain = ({ text, position }: Cursor): number => {
  let end = position
  for (; end < text.length; end++) {
    const code = text.charCodeAt(end)
    if (code === 0x22 || code === 0x5c || code < 0x20) break
  }
  return end
}

const parseString = (cursor: Cursor): string => {
  cursor.position++
  let value = ''
  for (;;) {
    const end = endOfPlain(cursor)
    value += cursor.text.slice(cursor.position, end)
    cursor.position = end
    const character = cursor.text[cursor.position]
    if (character !== '"' && character !== '\\')
      return fail(cursor, `a string that ends with ${found(cursor)}`)
    cursor.position++
    if (character === '"') return value
    value += parseEscape(cursor)
  }
}

const parseNumber = (cursor: Cursor): number | bigint => {
  NUMBER.lastIndex = cursor.position
  const match = NUMBER.exec(cursor.text)
  if (match === null) return fail(cursor, `a value expected, ${found(cursor)} found`)
  cursor.position = NUMBER.lastIndex
  const [text, fraction, exponent] = match
  const value = Number(text)
  if (fraction !== undefined || exponent !== undefined || Number.isSafeInteger(value)) return value
  return BigInt(text)
}

const parseObject = (cursor: Cursor, depth: number): object => {
  cursor.position++
  // Without a prototype, so that `__proto__` is an ordinary key.
  const object: Record<string, unknown> = Object.create(null) as Record<string, unknown>
  if (take(cursor, '}')) return object
  do {
    skipSpace(cursor)
    if (cursor.text[cursor.position] !== '"') fail(cursor, `a key expected, ${found(cursor)} found`)
    const start = cursor.position
    const key = parseString(cursor)
    if (key in object) fail({ ...cursor, position: start }, `the key "${key}" for the second time`)
    expect(cursor, ':')
    object[key] = parseValue(cursor, depth - 1)
  } while (take(cursor, ','))
  expect(cursor, '}')
  return object
}

const parseArray = (cursor: Cursor, depth: number): unknown[] => {
  cursor.position++
  const array: unknown[] = []
  if (take(cursor, ']')) return array
  do array.push(parseValue(cursor, depth - 1))
  while (take(cursor, ','))
  expect(cursor, ']')
  return array
}

const parseValue = (cursor: Cursor, depth: number): unknown => {
  if (depth === 0) return fail(cursor, `values nested deeper than ${JSON_DEPTH_MAX}`)
  skipSpace(cursor)
  const character = cursor.text[cursor.position]
  if (character === '{') return parseObject(cursor, depth)
  if (character === '[') return parseArray(cursor, depth)
  if (character === '"') return parseString(cursor)
  for (const [literal, value] of LITERALS)
    if (cursor.text.startsWith(literal, cursor.position)) {
      cursor.position += literal.length
      return value
    }
  return parseNumber(cursor)
}

/**
 * Strict JSON (RFC 8259); JSON.parse is too lenient for a file that defines a chain: integers beyond 2^53 become bigint
 * instead of losing digits, and duplicate keys are refused.
 * @throws GenesisError with line and column
 */
export const parseJson = (text: string): unknown => {
  const cursor: Cursor = { text, position: text.startsWith('\ufeff') ? 1 : 0 }
  const value = parseValue(cursor, JSON_DEPTH_MAX)
  skipSpace(cursor)
  if (cursor.position < text.length) fail(cursor, `end of the file expected, ${found(cursor)} found`)
  return value
}
