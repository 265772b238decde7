/** Nested deeper than any request is: without a bound a body of brackets alone would cost gigabytes. */
export const JSON_DEPTH_MAX = 32

const QUOTE = 34
const BACKSLASH = 92
const OPEN_BRACKET = 91
const CLOSE_BRACKET = 93
const OPEN_BRACE = 123
const CLOSE_BRACE = 125

/** The position behind the string that begins with the quote at `start`; the text's end when it does not end. */
const afterString = (text: string, start: number): number => {
  let end = start
  for (;;) {
    end = text.indexOf('"', end + 1)
    if (end < 0) return text.length
    let backslashes = 0
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes++
    if (backslashes % 2 === 0) return end + 1
  }
}

const nestsTooDeep = (text: string): boolean => {
  if (text.length <= JSON_DEPTH_MAX) return false
  let depth = 0
  for (let i = 0; i < text.length; ) {
    const code = text.charCodeAt(i)
    if (code === QUOTE) {
      i = afterString(text, i)
      continue
    }
    if (code === OPEN_BRACKET || code === OPEN_BRACE) {
      if (++depth > JSON_DEPTH_MAX) return true
    } else if (code === CLOSE_BRACKET || code === CLOSE_BRACE) depth--
    i++
  }
  return false
}

/** @throws JsonError when the text is no JSON or nests deeper than JSON_DEPTH_MAX. */
export const parseJson = (text: string): unknown => {
  if (nestsTooDeep(text)) throw new JsonError(`nests deeper than ${JSON_DEPTH_MAX}`)
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new JsonError('not JSON', { cause })
  }
}

const skipSpace = (text: string, start: number): number => {
  let i = start
  while (text.charCodeAt(i) <= 32) i++
  return i
}

/** The position behind the value that begins at `start`, in text that is valid JSON. */
const afterValue = (text: string, start: number): number => {
  const first = text.charCodeAt(start)
  if (first === QUOTE) return afterString(text, start)
  let i = start
  if (first !== OPEN_BRACKET && first !== OPEN_BRACE) {
    while (i < text.length && !/[\s,\]}]/.test(text[i] as string)) i++
    return i
  }
  let depth = 0
  for (;;) {
    const code = text.charCodeAt(i)
    if (code === QUOTE) {
      i = afterString(text, i)
      continue
    }
    if (code === OPEN_BRACKET || code === OPEN_BRACE) depth++
    else if ((code === CLOSE_BRACKET || code === CLOSE_BRACE) && --depth === 0) return i + 1
    i++
  }
}

/** Source text of the `id` member of the object at `start`; the last one counts, as in JSON.parse. */
const idOfObject = (text: string, start: number): string | undefined => {
  let id: string | undefined
  let i = skipSpace(text, start + 1)
  while (text.charCodeAt(i) === QUOTE) {
    const keyEnd = afterString(text, i)
    const key: unknown = JSON.parse(text.slice(i, keyEnd))
    const valueStart = skipSpace(text, skipSpace(text, keyEnd) + 1)
    const valueEnd = afterValue(text, valueStart)
    if (key === 'id') id = text.slice(valueStart, valueEnd)
    i = skipSpace(text, valueEnd)
    if (text.charCodeAt(i) !== CLOSE_BRACE) i = skipSpace(text, i + 1)
  }
  return id
}

/**
 * The `id` of each request exactly as it was written, which a JavaScript number may not hold: of the one request, or of
 * each element of a batch, undefined for one that has none. The text must be valid JSON.
 */
export const idSources = (text: string): readonly (string | undefined)[] => {
  let i = skipSpace(text, 0)
  if (text.charCodeAt(i) === OPEN_BRACE) return [idOfObject(text, i)]
  const ids: (string | undefined)[] = []
  i = skipSpace(text, i + 1)
  while (text.charCodeAt(i) !== CLOSE_BRACKET) {
    ids.push(text.charCodeAt(i) === OPEN_BRACE ? idOfObject(text, i) : undefined)
    i = skipSpace(text, afterValue(text, i))
    if (text.charCodeAt(i) !== CLOSE_BRACKET) i = skipSpace(text, i + 1)
  }
  return ids
}

/** A body that cannot be read as a request. */
export class JsonError extends Error {
  override readonly name = 'JsonError'
  readonly code = 'INVALID_JSON'
}
