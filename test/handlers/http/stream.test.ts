import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createJsonArray } from '../../../handlers/rpc/jsonPieces.ts'
import { createDispatcher } from '../../../handlers/rpc/dispatcher.ts'
import { EVERYONE } from '../../../handlers/auth/caller.ts'
import { streamOf } from '../../../handlers/http/stream.ts'
import { method } from '../../../handlers/rpc/method.ts'
import { startTestNode, type TestNode } from '../support/testNode.ts'

const ELEMENTS = 5_000
const ELEMENT = JSON.stringify('x'.repeat(100))

const LONG = method('eth_long', [], () => {
  const array = createJsonArray()
  for (let i = 0; i < ELEMENTS; i++) array.add(ELEMENT)
  return array.finish()
})

let node: TestNode
beforeAll(async () => {
  node = await startTestNode()
})
afterAll(() => node.close())

const handle = async (body: string, prettyPrint = false) => {
  const options = { ...node.context.options, prettyPrint }
  return await createDispatcher([LONG], { ...node.context, options }).handle(body, EVERYONE)
}

const REQUEST = '{"jsonrpc":"2.0","id":7,"method":"eth_long"}'

describe('a long result', () => {
  const expected = { jsonrpc: '2.0', id: 7, result: Array.from({ length: ELEMENTS }, () => 'x'.repeat(100)) }

  test('stays in pieces, and is whole when they are read one after the other', async () => {
    const { body } = await handle(REQUEST)
    expect(Array.isArray(body)).toBe(true)
    expect(await new Response(streamOf(body as readonly string[])).json()).toEqual(expected)
  })

  test('is the same within a batch and pretty-printed', async () => {
    const batch = (await handle(`[${REQUEST}]`)).body
    expect(JSON.parse(String(batch))).toEqual([expected])
    expect(JSON.parse(String((await handle(REQUEST, true)).body))).toEqual(expected)
  })

  test('of several calls of a batch is not put together', async () => {
    const { body } = await handle(`[${REQUEST},${REQUEST},${REQUEST}]`)
    expect(Array.isArray(body)).toBe(true)
    expect(await new Response(streamOf(body as readonly string[])).json()).toEqual([
      expected,
      expected,
      expected,
    ])
  })

  test('lets others have their turn while it is read', async () => {
    let turns = 0
    const timer = setInterval(() => turns++, 0)
    await new Response(streamOf(Array.from({ length: 200 }, () => 'x'))).text()
    clearInterval(timer)
    expect(turns).toBeGreaterThan(5)
  })

  test('that its reader leaves is not encoded to its end', async () => {
    let read = 0
    const pieces = new Proxy(['a', 'b', 'c', 'd', 'e', 'f'], {
      get: (target, key) => {
        if (typeof key === 'string' && /^\d+$/.test(key)) read++
        return Reflect.get(target, key) as unknown
      },
    })
    const reader = streamOf(pieces).getReader()
    await reader.read()
    await reader.cancel()
    expect(read).toBeLessThan(4)
  })
})

describe('an array made element by element', () => {
  test('is JSON with none, one and many', () => {
    for (const count of [0, 1, 3]) {
      const array = createJsonArray()
      for (let i = 0; i < count; i++) array.add(String(i))
      const made = array.finish()
      expect(made.text).toBe(JSON.stringify(Array.from({ length: count }, (_, i) => i)))
      expect(JSON.stringify({ made })).toBe(`{"made":${made.text}}`)
    }
  })
})
