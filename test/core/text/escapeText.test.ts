import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { escapeLines, escapeText } from '../../../core/text/escapeText.ts'

const OBEYED = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u

describe('given foreign text', () => {
  test('when it is escaped, then nothing is left that a terminal obeys, and what people read is unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), text => {
        expect(escapeText(text)).not.toMatch(OBEYED)
        expect(escapeLines(text).replaceAll('\n', '')).not.toMatch(OBEYED)
      }),
    )
    for (const text of ['Blöcke, 区块, العربية, 🙂 → "a" \\ b', ''])
      expect([escapeText(text), escapeLines(text)]).toEqual([text, text])
  })

  test.each([
    ['a line end', 'a\nb', 'a\\nb'],
    ['a terminal sequence', '\u001b[2J\u009b31m', '\\u001b[2J\\u009b31m'],
    ['text from right to left', 'a\u202eb\u2066', 'a\\u202eb\\u2066'],
    ['separators', '\u2028\u2029\u0085', '\\u2028\\u2029\\u0085'],
    ['hidden characters', '\u200b\u{e0041}', '\\u200b\\udb40\\udc41'],
    ['half a character', '\ud83d', '\\ud83d'],
  ])('when it has %s, then that is shown', (_, text, shown) => {
    expect(escapeText(text)).toBe(shown)
  })

  test('when it is JSON, then it is the same value afterwards', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), text => {
        expect(JSON.parse(escapeText(JSON.stringify({ text })))).toEqual({ text })
      }),
    )
  })
})
