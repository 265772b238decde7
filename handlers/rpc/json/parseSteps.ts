import { JSON_DEPTH_MAX, JSON_VALUES_MAX, JsonError, tooDeep } from './parse.ts'
import {
  afterString,
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from './scan.ts'

/** Values between two steps: a tenth of a millisecond. */
const STEP_VALUES = 256

/** Characters between two steps, where values are long. */
const STEP_CHARACTERS = 256 * 1024

/** Length of an escape such as `\u00e9`. */
const UNICODE_ESCAPE_LENGTH = 6

/** Maximum length of a number, as in Besu's parser. */
const NUMBER_LENGTH_MAX = 1000

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y

const LITERALS: readonly (readonly [text: string, value: boolean | null])[] = [
  ['true', true],
  ['false', false],
  ['null', null],
]

export type ParsedJson = {
  readonly value: unknown
  readonly valueCount: number
  /** Source text of the last number that each object has as its `id`. */
  readonly idSources: ReadonlyMap<object, string>
}

/** Position in the text, and the open containers. */
type State = {
  readonly text: string
  at: number
  count: number
  /** Source text of the last number. */
  number: string | undefined
}

/** An open array or object; `key` is that of the next member. */
type Open =
  | { readonly kind: 'array'; readonly value: unknown[] }
  | { readonly kind: 'object'; readonly value: Record<string, unknown>; key: string }

const notJson = ({ at }: State): JsonError => new JsonError('INVALID_JSON', `not JSON at character ${at}`)

const skipSpace = (state: State): number => {
  for (;;) {
    const code = state.text.charCodeAt(state.at)
    if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return code
    state.at++
  }
}

const parseString = (state: State, source: string): string => {
  try {
    return JSON.parse(source) as string
  } catch {
    // The closing quote is missing, or there is a control character or an invalid escape.
    throw notJson(state)
  }
}

const readString = (state: State): string => {
  const end = afterString(state.text, state.at)
  const value = parseString(state, state.text.slice(state.at, end))
  state.at = end
  return value
}

/** The position at or before `end` that no escape spans, in a string that has none across `start`. */
const cutOfString = (text: string, start: number, end: number): number => {
  /** The backslash of the escape that `position` belongs to as its second character. */
  const escapeAt = (position: number): number | undefined => {
    let backslashes = 0
    while (position - 1 - backslashes >= start && text.charCodeAt(position - 1 - backslashes) === BACKSLASH)
      backslashes++
    return backslashes % 2 === 1 ? position - 1 : undefined
  }
  for (let position = end; position > end - UNICODE_ESCAPE_LENGTH + 1; position--) {
    const isWhole = position < end && text[position] !== 'u'
    const escape = isWhole ? undefined : escapeAt(position)
    if (escape !== undefined) return escape
  }
  return end
}

/** Like readString, in steps. */
function* readLongString(state: State): Generator<void, string> {
  const { text } = state
  const last = afterString(text, state.at) - 1
  let value = ''
  for (let start = state.at + 1; start < last; ) {
    const end = Math.min(start + STEP_CHARACTERS, last)
    const cut = end === last ? last : cutOfString(text, start, end)
    value += parseString(state, `"${text.slice(start, cut)}"`)
    start = cut
    yield
  }
  if (text.charCodeAt(last) !== QUOTE) throw notJson(state)
  state.at = last + 1
  return value
}

/** True for the quote of a string that is read in steps. */
const isLongString = ({ text, at }: State, code: number): boolean =>
  code === QUOTE && afterString(text, at) - at > STEP_CHARACTERS

const readScalar = (state: State, code: number): unknown => {
  state.number = undefined
  if (code === QUOTE) return readString(state)
  NUMBER.lastIndex = state.at
  const [source] = NUMBER.exec(state.text) ?? []
  if (source !== undefined) {
    if (source.length > NUMBER_LENGTH_MAX) throw notJson(state)
    state.at += source.length
    state.number = source
    return Number(source)
  }
  for (const [text, value] of LITERALS)
    if (state.text.startsWith(text, state.at)) {
      state.at += text.length
      return value
    }
  throw notJson(state)
}

/** Reads the key of the next member and its colon. */
const readKey = (state: State): string => {
  if (skipSpace(state) !== QUOTE) throw notJson(state)
  const key = readString(state)
  if (skipSpace(state) !== COLON) throw notJson(state)
  state.at++
  return key
}

/** As in JSON.parse, `__proto__` is a member like any other. */
const setMember = (object: Record<string, unknown>, key: string, value: unknown): void => {
  if (key === '__proto__')
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true })
  else object[key] = value
}

/** Opens the array or object at the position; undefined for an empty one and for a scalar. */
const openContainer = (state: State, code: number): { value: unknown; open: Open | undefined } => {
  state.at++
  const isArray = code === OPEN_BRACKET
  const isEmpty = skipSpace(state) === (isArray ? CLOSE_BRACKET : CLOSE_BRACE)
  if (isEmpty) state.at++
  if (isArray) {
    const value: unknown[] = []
    return { value, open: isEmpty ? undefined : { kind: 'array', value } }
  }
  const value: Record<string, unknown> = {}
  return { value, open: isEmpty ? undefined : { kind: 'object', value, key: readKey(state) } }
}

/**
 * Parses like JSON.parse, in steps, so that the caller can yield between them. Counts the entries of an array at the
 * top while reading. @param entriesMax maximum length of an array at the top; 0 or less for any length @throws
 * JsonError when the text is invalid JSON, nests deeper than JSON_DEPTH_MAX, or has too many values or entries
 */
export function* parseSteps(text: string, entriesMax: number): Generator<void, ParsedJson> {
  const state: State = { text, at: 0, count: 0, number: undefined }
  const idSources = new Map<object, string>()
  const stack: Open[] = []
  let root: unknown
  let steppedAt = 0
  let steppedCount = 0

  /** Adds a value to the innermost open container. */
  const put = (value: unknown): void => {
    const open = stack[stack.length - 1]
    if (open === undefined) {
      root = value
      return
    }
    if (open.kind === 'object') {
      setMember(open.value, open.key, value)
      if (open.key === 'id' && state.number !== undefined) idSources.set(open.value, state.number)
      return
    }
    open.value.push(value)
    if (stack.length === 1 && entriesMax > 0 && open.value.length > entriesMax)
      throw new JsonError('TOO_MANY_ENTRIES', `more than ${entriesMax} entries`)
  }

  /** Closes the containers that end here; true where another value follows. */
  const continues = (): boolean => {
    for (let open = stack[stack.length - 1]; open !== undefined; open = stack[stack.length - 1]) {
      const code = skipSpace(state)
      if (code === COMMA) {
        state.at++
        if (open.kind === 'object') open.key = readKey(state)
        return true
      }
      if (code !== (open.kind === 'array' ? CLOSE_BRACKET : CLOSE_BRACE)) throw notJson(state)
      state.at++
      stack.pop()
    }
    return false
  }

  for (;;) {
    const code = skipSpace(state)
    if (++state.count > JSON_VALUES_MAX)
      throw new JsonError('TOO_MANY_VALUES', `more than ${JSON_VALUES_MAX} values`)
    const isContainer = code === OPEN_BRACKET || code === OPEN_BRACE
    if (isContainer && stack.length === JSON_DEPTH_MAX) throw tooDeep()
    const { value, open } = isContainer
      ? openContainer(state, code)
      : {
          value: isLongString(state, code) ? yield* readLongString(state) : readScalar(state, code),
          open: undefined,
        }
    if (isContainer || code === QUOTE) state.number = undefined
    put(value)
    if (open !== undefined) stack.push(open)
    else if (!continues()) {
      skipSpace(state)
      if (state.at < text.length) throw notJson(state)
      return { value: root, valueCount: state.count, idSources }
    }
    if (state.count - steppedCount >= STEP_VALUES || state.at - steppedAt >= STEP_CHARACTERS) {
      steppedAt = state.at
      steppedCount = state.count
      yield
    }
  }
}
