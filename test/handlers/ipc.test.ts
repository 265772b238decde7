import { describe, expect, test } from 'bun:test'
import { createJsonSplitter } from '../../handlers/ipc/jsonTexts.ts'

const split = (chunks: readonly string[], lengthMax = 1000) => {
  const splitter = createJsonSplitter(lengthMax)
  return chunks.map(splitter)
}

const textsOf = (...chunks: readonly string[]): readonly string[] =>
  split(chunks).flatMap(({ texts }) => texts)

describe('given a stream of JSON over IPC', () => {
  test('when messages follow each other in any chunks, then each is found', () => {
    const messages = ['{"a":"}{"}', '[{"b":[1]},{}]', '{"c":"\\"}"}', '{"d":{"e":[]}}']
    for (const separator of ['', '\n', ' \r\n'])
      for (const size of [1, 3, 1000]) {
        const text = messages.join(separator)
        const chunks = Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
          text.slice(index * size, (index + 1) * size),
        )
        expect(textsOf(...chunks)).toEqual(messages)
      }
  })

  test('when it has other text, then a line of it is one message', () => {
    expect(textsOf('hello\n\n{"a":1}')).toEqual(['hello', '{"a":1}'])
    expect(textsOf(']]}\n{"a":1}')).toEqual([']', ']', '}', '{"a":1}'])
  })

  test('when a message is too long, then that is said, complete or not', () => {
    const long = `{"a":"${'x'.repeat(2000)}"}`
    expect(split([long]).at(-1)?.isTooLong).toBe(true)
    expect(split([long.slice(0, 1500)]).at(-1)?.isTooLong).toBe(true)
    expect(split(['{"a":1}']).at(-1)?.isTooLong).toBe(false)
  })
})
