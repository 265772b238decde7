import { afterString, CLOSE_BRACE, CLOSE_BRACKET, COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE } from './scan.ts'

/** Maximum nesting of JSON, deeper than any request. Without a limit a body that consists of brackets would take gigabytes. */
export const JSON_DEPTH_MAX = 32

/**
 * Maximum number of values in one text, members and elements on all levels. Each takes some 64 bytes, together 16 MB;
 * state overrides of 5 MiB have 80,000.
 */
export const JSON_VALUES_MAX = 250_000

/** Memory of a parsed value beside its text, as measured for `{}` in an array. */
export const JSON_VALUE_BYTES = 64

/** A body that cannot be read as a request. */
export class JsonError extends Error {
  override readonly name = 'JsonError'
  readonly code: 'INVALID_JSON' | 'TOO_MANY_VALUES' | 'TOO_MANY_ENTRIES'
  constructor(code: JsonError['code'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

export const tooDeep = (): JsonError => new JsonError('INVALID_JSON', `nests deeper than ${JSON_DEPTH_MAX}`)

/**
 * An upper bound of the number of values in the text; any number for invalid JSON. @throws JsonError when it nests too
 * deep
 */
export const countValues = (text: string): number => {
  let depth = 0
  let count = 1
  for (let i = 0; i < text.length; ) {
    const code = text.charCodeAt(i)
    if (code === QUOTE) {
      i = afterString(text, i)
      continue
    }
    if (code === COMMA) count++
    else if (code === OPEN_BRACKET || code === OPEN_BRACE) {
      count++
      if (++depth > JSON_DEPTH_MAX) throw tooDeep()
    } else if (code === CLOSE_BRACKET || code === CLOSE_BRACE) depth--
    i++
  }
  return count
}

/** Parses a text that `countValues` has found not to nest too deep. @throws JsonError if it is not JSON */
export const parseCounted = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new JsonError('INVALID_JSON', 'not JSON', { cause })
  }
}

/** @throws JsonError if the text is not JSON or nests deeper than JSON_DEPTH_MAX. */
export const parseJson = (text: string): unknown => {
  if (text.length > JSON_DEPTH_MAX) countValues(text)
  return parseCounted(text)
}
