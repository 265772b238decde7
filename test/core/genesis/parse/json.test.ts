import { describe, expect, test } from 'bun:test'
import { GenesisError } from '../../../../core/genesis/error.ts'
import { parseJson } from '../../../../core/genesis/parse/json.ts'
import { parseGenesisText } from '../../../../core/genesis/parse/parse.ts'

const refused = (text: string): string => {
  try {
    parseJson(text)
  } catch (error) {
    expect(error).toBeInstanceOf(GenesisError)
    expect((error as GenesisError).code).toBe('SYNTAX')
    expect((error as GenesisError).message).not.toContain('\n')
    return (error as GenesisError).message
  }
  throw new Error('the text was taken')
}

describe('given parseJson', () => {
  const texts = [
    '{}',
    ' [ ] ',
    '{"a": [1, -2, 3.5, 1e3, 0, true, false, null], "b": {"c": ""}}',
    '"\\u0041\\n\\t\\"\\\\\\/\\b\\f\\r é 😀 \\ud83d\\ude00"',
    '[[[[]]], {}]',
    '9007199254740991',
    '\r\n\t [1 ,\r\n2]',
  ]
  for (const text of texts)
    test(`when it reads ${JSON.stringify(text)}, then the result is JSON.parse’s`, () => {
      expect(JSON.stringify(parseJson(text))).toBe(JSON.stringify(JSON.parse(text)))
    })

  test('when integers exceed 2^53, then it keeps every digit', () => {
    expect(parseJson('[3503995874084926, 9007199254740993, -9007199254740993]')).toEqual([
      3_503_995_874_084_926,
      9_007_199_254_740_993n,
      -9_007_199_254_740_993n,
    ])
  })

  test('when there is a byte order mark, then it is skipped', () => {
    expect(parseJson('\ufeff1')).toBe(1)
  })

  test('when __proto__ is a key, then it is like any other', () => {
    const object = parseJson('{"__proto__": {"polluted": 1}}') as object
    expect(Object.keys(object)).toEqual(['__proto__'])
    expect(({} as { polluted?: number }).polluted).toBeUndefined()
  })

  test('when a key is there twice, then the error names the position', () => {
    expect(refused('{"a": 1,\n "a": 2}')).toBe(
      'not valid JSON: the key "a" for the second time at line 2, column 2',
    )
  })

  const broken: readonly (readonly [string, string])[] = [
    ['', 'a value expected, the end of the file found at line 1, column 1'],
    ['{', 'a key expected, the end of the file found at line 1, column 2'],
    ['{"a"}', '":" expected, "}" found at line 1, column 5'],
    ['{"a": 1,}', 'a key expected, "}" found at line 1, column 9'],
    ['{"a": 1 "b": 2}', '"}" expected, "\\"" found at line 1, column 9'],
    ['[1,]', 'a value expected, "]" found'],
    ['{\n  // no\n}', 'a key expected, "/" found at line 2, column 3'],
    ['/* no */ {}', 'a value expected, "/" found'],
    ['{} {}', 'end of the file expected, "{" found'],
    ["{'a': 1}", 'a key expected, "\'" found'],
    ['01', 'end of the file expected, "1" found'],
    ['0x1', 'end of the file expected, "x" found'],
    ['+1', 'a value expected, "+" found'],
    ['.5', 'a value expected'],
    ['NaN', 'a value expected'],
    ['tru', 'a value expected'],
    ['"abc', 'a string that ends with the end of the file'],
    ['"a\nb"', 'a string that ends with "\\n"'],
    ['"\\x"', 'unknown escape'],
    ['"\\u12"', 'unknown escape'],
    ['"\\', 'unknown escape'],
  ]
  for (const [text, problem] of broken)
    test(`when it reads ${JSON.stringify(text)}, then it is refused`, () => {
      expect(refused(text)).toContain(problem)
    })

  test('when values nest too deep, then it is refused', () => {
    expect(refused('['.repeat(100_000))).toContain('nested deeper')
    expect(parseJson(`${'['.repeat(60)}${']'.repeat(60)}`)).toBeDefined()
  })
})

test('given a genesis file that is not JSON, when it is read, then the error names the position', () => {
  expect(() => parseGenesisText('{\n  "config": {,}\n}')).toThrow('at line 2, column 14')
})
