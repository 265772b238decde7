import { describe, expect, test } from 'bun:test'
import { parseCredentials } from '../../../handlers/auth/login/credentials.ts'
import { parseToml, TomlProblem } from '../../../handlers/toml/parseToml.ts'
import { rejection } from '../../support/rejection.ts'

const HOSTILE: readonly (readonly [what: string, text: string, problem: RegExp])[] = [
  ['200,000 dotted keys', `${'a.'.repeat(200_000)}a=1`, /nested deeper than 32/],
  ['a table of 200,000 dotted keys', `[${'a.'.repeat(200_000)}a]`, /nested deeper than 32/],
  ['very many keys', Array.from({ length: 30_000 }, (_, i) => `k${i}=1`).join('\n'), /more than 20000 keys/],
  [
    'very many tables',
    Array.from({ length: 30_000 }, (_, i) => `[k${i}]`).join('\n'),
    /more than 20000 keys/,
  ],
  ['nested lists', `a=${'['.repeat(200_000)}`, /nested.*line 1/],
  ['nested inline tables', `a=${'{a='.repeat(200_000)}`, /nested.*line 1/],
  ['half a string', 'a="secret', /unfinished string \(line 1, column \d+\)$/],
]

describe('given a file of configuration', () => {
  test.each(HOSTILE)('when it has %s, then one sentence says so', async (_, text, problem) => {
    for (const parse of [parseToml, parseCredentials]) {
      const error = (await rejection(Promise.resolve().then(() => parse(text)))) as Error
      expect(error.message).toMatch(problem)
      expect(error.message).not.toContain('\n')
      expect(error.message.length).toBeLessThan(200)
    }
  })

  test('when it is an ordinary one, then its values are read', () => {
    expect(parseToml('a.b = [1, 2]\n[c.d]\ne = "f"')).toEqual({ a: { b: [1, 2] }, c: { d: { e: 'f' } } })
    expect(() => parseToml('a = ')).toThrow(TomlProblem)
  })
})
