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

/** The position after the value that begins at `start`, in valid JSON text. */
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
 * The source text of the `id` of each request, as a JavaScript number may not represent it exactly: of a single request, or
 * of each element of a batch. Undefined for an element without an id. The text must be valid JSON.
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
