/** Positions in JSON text: each function returns the position after the token at `start`. */

export const QUOTE = 34
export const BACKSLASH = 92
export const COMMA = 44
export const COLON = 58
export const OPEN_BRACKET = 91
export const CLOSE_BRACKET = 93
export const OPEN_BRACE = 123
export const CLOSE_BRACE = 125

/** The position after the string that begins with the quote at `start`; the end of the text for an unterminated string. */
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

/** The position after white space, in valid JSON text. */
export const afterSpace = (text: string, start: number): number => {
  let i = start
  while (text.charCodeAt(i) <= 32) i++
  return i
}

const END_OF_SCALAR = /[\s,\]}]/g

/** The position after a number, `true`, `false` or `null`, in valid JSON text. */
export const afterScalar = (text: string, start: number): number => {
  END_OF_SCALAR.lastIndex = start
  return END_OF_SCALAR.exec(text)?.index ?? text.length
}
