import { JSON_DEPTH_MAX, JSON_VALUES_MAX, JsonError, tooDeep } from './parse.ts'
import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  scanString,
} from './scan.ts'

/** Values between two steps: a tenth of a millisecond. */
const STEP_VALUES = 256

/** Characters between two steps, where values are long. */
const STEP_CHARACTERS = 256 * 1024

/** White space within a value: a body that is indented has a thousandth of this. More would be skipped in one step. */
const SPACE_LENGTH_MAX = 1024 * 1024

/** Characters of a number; Besu's parser takes no longer ones. */
const NUMBER_LENGTH_MAX = 1000

/** Looks at no more than some thousand digits: what stands behind them is no JSON then. */
const NUMBER = /-?(?:0|[1-9]\d{0,1000})(?:\.\d{1,1000})?(?:[eE][+-]?\d{1,1000})?/y

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

const isSpace = (code: number): boolean => code === 32 || code === 10 || code === 13 || code === 9

const skipSpace = (state: State): number => {
  const end = state.at + SPACE_LENGTH_MAX
  for (;;) {
    const code = state.text.charCodeAt(state.at)
    if (!isSpace(code)) return code
    if (state.at++ === end) throw notJson(state)
  }
}

/** Skips the white space before or after the whole text, however long it is. */
function* skipOuterSpace(state: State): Generator<void, void> {
  const { text } = state
  for (let end = state.at + STEP_CHARACTERS; ; end += STEP_CHARACTERS) {
    while (state.at < end && isSpace(text.charCodeAt(state.at))) state.at++
    if (state.at < end) return
    yield
  }
}

const parseString = (state: State, source: string): string => {
  try {
    return JSON.parse(source) as string
  } catch {
    // No closing quote, a control character or a wrong escape.
    throw notJson(state)
  }
}

/** Reads the string whose content begins at `start`; undefined where it is longer than a step. */
const readShortString = (state: State, start: number): string | undefined => {
  const { text } = state
  const end = scanString(text, start, start + STEP_CHARACTERS)
  if (text.charCodeAt(end) !== QUOTE) return undefined
  state.at = end + 1
  return parseString(state, text.slice(start - 1, end + 1))
}

/** Reads the string whose quote stands at the position, a long one in steps. */
function* readString(state: State): Generator<void, string> {
  const { text } = state
  let start = state.at + 1
  const short = readShortString(state, start)
  if (short !== undefined) return short
  let value = ''
  for (;;) {
    const end = scanString(text, start, start + STEP_CHARACTERS)
    value += parseString(state, `"${text.slice(start, end)}"`)
    if (text.charCodeAt(end) === QUOTE) {
      state.at = end + 1
      return value
    }
    if (end === text.length) throw notJson(state)
    start = end
    yield
  }
}

/** Reads a number, `true`, `false` or `null`. */
const readScalar = (state: State): unknown => {
  state.number = undefined
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
  const key = readShortString(state, state.at + 1)
  // Longer than any member that a method takes, or without an end.
  if (key === undefined) throw notJson(state)
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

  yield* skipOuterSpace(state)
  for (;;) {
    const code = skipSpace(state)
    if (++state.count > JSON_VALUES_MAX)
      throw new JsonError('TOO_MANY_VALUES', `more than ${JSON_VALUES_MAX} values`)
    const isContainer = code === OPEN_BRACKET || code === OPEN_BRACE
    if (isContainer && stack.length === JSON_DEPTH_MAX) throw tooDeep()
    const { value, open } = isContainer
      ? openContainer(state, code)
      : {
          value: code === QUOTE ? yield* readString(state) : readScalar(state),
          open: undefined,
        }
    if (isContainer || code === QUOTE) state.number = undefined
    put(value)
    if (open !== undefined) stack.push(open)
    else if (!continues()) {
      yield* skipOuterSpace(state)
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
