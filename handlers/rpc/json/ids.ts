import {
  afterScalar,
  afterSpace,
  afterString,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from './scan.ts'

/** The position behind the value that begins at `start`, in text that is valid JSON. */
const afterValue = (text: string, start: number): number => {
  const first = text.charCodeAt(start)
  if (first === QUOTE) return afterString(text, start)
  if (first !== OPEN_BRACKET && first !== OPEN_BRACE) return afterScalar(text, start)
  let depth = 0
  for (let i = start; ; ) {
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
  let i = afterSpace(text, start + 1)
  while (text.charCodeAt(i) === QUOTE) {
    const keyEnd = afterString(text, i)
    const key: unknown = JSON.parse(text.slice(i, keyEnd))
    const valueStart = afterSpace(text, afterSpace(text, keyEnd) + 1)
    const valueEnd = afterValue(text, valueStart)
    if (key === 'id') id = text.slice(valueStart, valueEnd)
    i = afterSpace(text, valueEnd)
    if (text.charCodeAt(i) !== CLOSE_BRACE) i = afterSpace(text, i + 1)
  }
  return id
}

/**
 * The `id` of each request exactly as it was written, which a JavaScript number may not hold: of the one request, or of
 * each element of a batch, undefined for one that has none. The text must be valid JSON.
 */
export const idSources = (text: string): readonly (string | undefined)[] => {
  let i = afterSpace(text, 0)
  if (text.charCodeAt(i) === OPEN_BRACE) return [idOfObject(text, i)]
  const ids: (string | undefined)[] = []
  i = afterSpace(text, i + 1)
  while (text.charCodeAt(i) !== CLOSE_BRACKET) {
    ids.push(text.charCodeAt(i) === OPEN_BRACE ? idOfObject(text, i) : undefined)
    i = afterSpace(text, afterValue(text, i))
    if (text.charCodeAt(i) !== CLOSE_BRACKET) i = afterSpace(text, i + 1)
  }
  return ids
}
