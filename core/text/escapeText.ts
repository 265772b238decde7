/**
 * Control characters, line and paragraph separators, the format characters that reorder or hide text (as U+202E), and halves of
 * characters: in a log or on a terminal they forge lines, move the cursor, or show something else than what is there.
 */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Noncharacter_Code_Point}]/gu

const UNPRINTABLE_IN_LINES = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Noncharacter_Code_Point}]/gu

/** As in JSON, so that an escaped JSON text is the same value. */
const escaped = (character: string): string => {
  if (character === '\n') return '\\n'
  let text = ''
  for (let at = 0; at < character.length; at++)
    text += `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`
  return text
}

/** Foreign text for a log or a terminal: on one line, with nothing that controls how it is shown. */
export const escapeText = (text: string): string => text.replace(UNPRINTABLE, escaped)

/** As `escapeText`, for text of several lines. */
export const escapeLines = (text: string): string => text.replace(UNPRINTABLE_IN_LINES, escaped)
