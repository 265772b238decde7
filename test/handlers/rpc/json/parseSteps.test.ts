import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { JSON_DEPTH_MAX, JSON_VALUES_MAX, JsonError } from '../../../../handlers/rpc/json/parse.ts'
import { parseSteps } from '../../../../handlers/rpc/json/parseSteps.ts'

const parse = (text: string, entriesMax = 0) => {
  const steps = parseSteps(text, entriesMax)
  let count = 0
  for (;;) {
    const step = steps.next()
    if (step.done === true) return { ...step.value, steps: count }
    count++
  }
}

const codeOf = (text: string, entriesMax = 0): string | undefined => {
  try {
    parse(text, entriesMax)
    return undefined
  } catch (error) {
    return error instanceof JsonError ? error.code : String(error)
  }
}

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

describe('given JSON text parsed in steps', () => {
  test('then the value is that of JSON.parse, with any white space', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(0, 1, '\t', '\r\n '), (value, space) => {
        const text = JSON.stringify(value, null, space)
        expect(parse(text).value).toEqual(JSON.parse(text))
      }),
      { numRuns: 500 },
    )
  })

  test('then what JSON.parse refuses is refused, and nothing else', () => {
    const pieces =
      '{ } [ ] , : "a" "id" "\\u00e9" "\\x" 1 -0 01 1. .5 1e5 - +1 true nul null \\ " NaN 1e999'.split(' ')
    const piece = fc.constantFrom(...pieces, ' ', '"\n"', '\u00a0', '\ufeff')
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 9 }), parts => {
        const text = parts.join('')
        expect([text, codeOf(text) === undefined]).toEqual([text, isJson(text)])
        if (isJson(text)) expect(parse(text).value).toEqual(JSON.parse(text))
      }),
      { numRuns: 5000 },
    )
  })

  test('then a long string equals that of JSON.parse, with escapes at any position', () => {
    for (const escape of ['\\\\', '\\u00e9', '\\n', '\\"', 'x\\\\\\u0041', 'u\\u0075u'])
      for (let offset = 0; offset < 8; offset++) {
        const text = `"${'x'.repeat(offset)}${escape.repeat(600_000 / escape.length)}"`
        expect(parse(text).value === JSON.parse(text)).toBe(true)
        expect(codeOf(text.slice(0, -1))).toBe('INVALID_JSON')
      }
    expect(codeOf(`"${'x'.repeat(300_000)}\\x${'x'.repeat(300_000)}"`)).toBe('INVALID_JSON')
    expect(codeOf(`"${'x'.repeat(300_000)}\n${'x'.repeat(300_000)}"`)).toBe('INVALID_JSON')
  })

  test('then duplicate and special keys are members as in JSON.parse', () => {
    const text = '{"__proto__":{"a":1},"constructor":2,"a":1,"a":2,"":3}'
    expect(parse(text).value).toEqual(JSON.parse(text))
    expect(Object.keys(parse(text).value as object)).toEqual(Object.keys(JSON.parse(text) as object))
    expect((parse(text).value as { a: number }).a).toBe(2)
  })

  test('then ids are kept as they were written', () => {
    const { value, idSources } = parse('[{"id":12345678901234567890},{"id":1,"id":1.50},{"id":"x"},[]]')
    const entries = value as readonly object[]
    expect(entries.map(entry => idSources.get(entry))).toEqual([
      '12345678901234567890',
      '1.50',
      undefined,
      undefined,
    ])
  })

  test('then long text takes many steps', () => {
    expect(parse(`[${'{},'.repeat(100_000)}{}]`).steps).toBeGreaterThan(300)
    expect(parse(`["${'x'.repeat(1_000_000)}","${'x'.repeat(1_000_000)}"]`).steps).toBeGreaterThanOrEqual(1)
  })

  test('then entries, values, levels and digits over their limits are refused', () => {
    expect(codeOf('[1,2,3]', 3)).toBeUndefined()
    expect(codeOf('[1,2,3,4]', 3)).toBe('TOO_MANY_ENTRIES')
    expect(codeOf('[[1,2,3,4]]', 3)).toBeUndefined()
    expect(codeOf(`[${'1,'.repeat(JSON_VALUES_MAX - 2)}1]`)).toBeUndefined()
    expect(codeOf(`[${'1,'.repeat(JSON_VALUES_MAX - 1)}1]`)).toBe('TOO_MANY_VALUES')
    const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)
    expect(codeOf(nested(JSON_DEPTH_MAX))).toBeUndefined()
    expect(codeOf(nested(JSON_DEPTH_MAX + 1))).toBe('INVALID_JSON')
    expect(codeOf('1'.repeat(1000))).toBeUndefined()
    expect(codeOf('1'.repeat(1001))).toBe('INVALID_JSON')
  })

  test('then no number, key or white space of any length is looked through in one step', () => {
    const long = 5_000_000
    expect(codeOf('1'.repeat(long))).toBe('INVALID_JSON')
    expect(codeOf(`1.${'1'.repeat(long)}`)).toBe('INVALID_JSON')
    expect(codeOf(`{"${'k'.repeat(long)}":1}`)).toBe('INVALID_JSON')
    expect(codeOf(`[1,${' '.repeat(long)}1]`)).toBe('INVALID_JSON')
    expect(codeOf(`[1,${' '.repeat(100_000)}1]`)).toBeUndefined()
    expect(parse(`["${'\\\\'.repeat(long / 2)}"]`).steps).toBeGreaterThan(long / 600_000)
  })
})
