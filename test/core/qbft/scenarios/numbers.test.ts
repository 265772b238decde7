import { expect, test } from 'bun:test'
import { sourceFiles } from '../../../structure/source.ts'

/** The scenarios of the protocol's reference, by number. */
const SCENARIOS = 125

/** Names of tests and of what groups them, where a number stands at the beginning. */
const NUMBERED = /\b(?:test|describe)(?:\.each\([\s\S]*?\))?\(\s*(['"`])((?:#\d+[^'"`]*))/g

test('each scenario stands in the name of a test', () => {
  const numbers = new Set<number>()
  for (const { text } of sourceFiles('test'))
    for (const [, , name = ''] of text.matchAll(NUMBERED))
      for (const [, number] of name.matchAll(/#(\d+)\b/g)) numbers.add(Number(number))
  const missing = Array.from({ length: SCENARIOS }, (_, index) => index + 1).filter(
    number => !numbers.has(number),
  )
  expect(missing).toEqual([])
})
