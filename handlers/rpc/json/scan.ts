/** Positions in JSON text: each function returns the position after the token at `start`. */

export const QUOTE = 34
const BACKSLASH = 92
export const COMMA = 44
export const COLON = 58
export const OPEN_BRACKET = 91
export const CLOSE_BRACKET = 93
export const OPEN_BRACE = 123
export const CLOSE_BRACE = 125

/** The position behind the string that begins with the quote at `start`; the text's end when it does not end. */
export const afterString = (text: string, start: number): number => {
  let end = start
  for (;;) {
    end = text.indexOf('"', end + 1)
    if (end < 0) return text.length
    let backslashes = 0
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes++
    if (backslashes % 2 === 0) return end + 1
  }
}

const LOWER_U = 117
/** Of `\u00e9`. */
const UNICODE_ESCAPE_LENGTH = 6

/**
 * The position of the quote that closes a string, whose content is looked through from `start` on. Where none stands before
 * `limit`: the first position from there on that splits no escape, or the text's end.
 */
export const scanString = (text: string, start: number, limit: number): number => {
  const end = Math.min(limit, text.length)
  let i = start
  while (i < end) {
    const code = text.charCodeAt(i)
    if (code === QUOTE) return i
    if (code !== BACKSLASH) i++
    else i += text.charCodeAt(i + 1) === LOWER_U ? UNICODE_ESCAPE_LENGTH : 2
  }
  return Math.min(i, text.length)
}

/** Behind white space, in text that is valid JSON. */
export const afterSpace = (text: string, start: number): number => {
  let i = start
  while (text.charCodeAt(i) <= 32) i++
  return i
}

const END_OF_SCALAR = /[\s,\]}]/g

/** Behind a number, `true`, `false` or `null`, in text that is valid JSON. */
export const afterScalar = (text: string, start: number): number => {
  END_OF_SCALAR.lastIndex = start
  return END_OF_SCALAR.exec(text)?.index ?? text.length
}
