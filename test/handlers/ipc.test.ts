import { describe, expect, test } from 'bun:test'
import { createConnections } from '../../handlers/ipc/connections.ts'
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

describe('given connections over IPC', () => {
  const open = (connectionsMax: number) => {
    const connections = createConnections(1_000, connectionsMax)
    const closed: number[] = []
    return { closed, add: (id: number) => connections.open(() => closed.push(id)) }
  }

  test('when there is no room for another, then the one that has been silent for longest is closed', () => {
    const { closed, add } = open(2)
    const first = add(1)
    add(2)
    first?.heard(0)
    expect(add(3)).toBeDefined()
    expect(closed).toEqual([2])
    first?.ended()
    expect(add(4)).toBeDefined()
    expect(closed).toEqual([2])
  })

  test('when the requests of all are being answered, then another is refused', () => {
    const { closed, add } = open(2)
    const first = add(1)
    add(2)?.setAnswering(true)
    first?.setAnswering(true)
    expect(add(3)).toBeUndefined()
    first?.setAnswering(false)
    expect(add(4)).toBeDefined()
    expect(closed).toEqual([1])
  })

  test('when unfinished messages of all are too long together, then the silent ones among them are closed', () => {
    const { closed, add } = open(10)
    const MEGABYTE = 1024 * 1024
    add(0)
    const held = [1, 2, 3, 4, 5, 6].map(id => add(id))
    for (const connection of held) connection?.heard(5 * MEGABYTE)
    held[0]?.heard(6 * MEGABYTE)
    expect(closed).toEqual([])
    held[5]?.heard(8 * MEGABYTE)
    expect(closed).toEqual([2])
    held[1]?.heard(5 * MEGABYTE)
    expect(closed).toEqual([2])
  })
})
