/** A part of a text from the chain: as it is, or the name of a character that is invisible or changes the text around it. */
export type TextPart = { readonly text: string; readonly isControl: boolean }

/** Longest text of an unknown author that is shown. */
const LENGTH_MAX = 200

/**
 * Invisible characters and those that change others: controls, joiners, marks and overrides of the writing direction, variation
 * selectors and tags. A name made with them could look like another.
 */
const CONTROLS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}\p{Cs}\u115f\u1160\u3164\uffa0]/u

const nameOf = (character: string): string =>
  `U+${(character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')}`

/** Splits a text that comes from the chain into what is shown as it is, and characters that are shown by name. */
export const visibleParts = (text: string, lengthMax = LENGTH_MAX): readonly TextPart[] => {
  const parts: { text: string; isControl: boolean }[] = []
  for (const character of text.slice(0, lengthMax)) {
    const isControl = CONTROLS.test(character)
    const last = parts.at(-1)
    if (!isControl && last?.isControl === false) last.text += character
    else parts.push({ text: isControl ? nameOf(character) : character, isControl })
  }
  if (text.length > lengthMax) parts.push({ text: `… ${text.length} characters`, isControl: true })
  return parts
}
