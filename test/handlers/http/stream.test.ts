import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { requestScheduler } from '../../../handlers/inbound/requestScheduler.ts'
import {
  createJsonArray,
  type JsonPiece,
  type KeepBytes,
  PLAIN_LENGTH_MAX,
  pieceText,
} from '../../../handlers/rpc/json/jsonPieces.ts'
import { createAsciiBuffer, createJsonWriter } from '../../../handlers/rpc/json/jsonWriter.ts'
import { createDispatcher } from '../../../handlers/rpc/dispatch/dispatcher.ts'
import { EVERYONE } from '../../../handlers/auth/caller.ts'
import { StalledReader, streamOf } from '../../../handlers/http/stream.ts'
import { testMethod } from '../support/testMethod.ts'
import { startTestNode, type TestNode } from '../support/testNode.ts'
import { until } from '../../support/until.ts'

const scheduler = requestScheduler()

const ELEMENTS = 5_000

/** Half of the time after which a reader counts as stalled. */
const SLOW_READER_MS = 30
const ELEMENT = JSON.stringify('x'.repeat(100))

const LONG = testMethod('eth_long', () => {
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

describe('given a long result', () => {
  const expected = { jsonrpc: '2.0', id: 7, result: Array.from({ length: ELEMENTS }, () => 'x'.repeat(100)) }

  test('when its pieces are read one after the other, then they are the whole', async () => {
    const { body } = await handle(REQUEST)
    expect(Array.isArray(body)).toBe(true)
    expect(await new Response(streamOf(body as readonly JsonPiece[], { scheduler })).json()).toEqual(expected)
  })

  test('when it is in a batch or pretty-printed, then it is the same', async () => {
    const batch = (await handle(`[${REQUEST}]`)).body
    expect(JSON.parse(batch as string)).toEqual([expected])
    const { body } = await handle(REQUEST, true)
    expect(await new Response(streamOf(body as readonly JsonPiece[], { scheduler })).json()).toEqual(expected)
  })

  test('when several calls of a batch have one, then they are not joined', async () => {
    const { body } = await handle(`[${REQUEST},${REQUEST},${REQUEST}]`)
    expect(Array.isArray(body)).toBe(true)
    expect(await new Response(streamOf(body as readonly JsonPiece[], { scheduler })).json()).toEqual([
      expected,
      expected,
      expected,
    ])
  })

  test('when it is read, then other work runs in between', async () => {
    let turns = 0
    let timer = setImmediate(function turn() {
      turns++
      timer = setImmediate(turn)
    })
    await new Response(
      streamOf(
        Array.from({ length: 200 }, () => 'x'),
        { scheduler },
      ),
    ).text()
    clearImmediate(timer)
    expect(turns).toBeGreaterThan(5)
  })

  test('when its client disconnects, then the rest is not encoded', async () => {
    let read = 0
    const pieces = new Proxy(['a', 'b', 'c', 'd', 'e', 'f'], {
      get: (target, key) => {
        if (typeof key === 'string' && /^\d+$/.test(key)) read++
        return Reflect.get(target, key) as unknown
      },
    })
    const reader = streamOf(pieces, { scheduler }).getReader()
    await reader.read()
    await reader.cancel()
    expect(read).toBeLessThan(4)
  })

  test('when its client stops reading, then it is disconnected and its slot is free', async () => {
    let ends = 0
    const reader = streamOf(['a', 'b', 'c', 'd'], {
      scheduler,
      stalledMs: 20,
      onEnd: () => ends++,
    }).getReader()
    await reader.read()
    await until(() => ends > 0)
    expect(ends).toBe(1)
    const failure = await reader.read().catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(StalledReader)
  })

  test('when its client is slow, then it is not disconnected', async () => {
    let text = ''
    for await (const bytes of streamOf(['a', 'b', 'c', 'd'], { scheduler, stalledMs: 60 })) {
      text += new TextDecoder().decode(bytes)
      await Bun.sleep(SLOW_READER_MS)
    }
    expect(text).toBe('abcd')
  })
})

describe('given an array that is written element by element', () => {
  test('when it has zero, one or many elements, then it is valid JSON', () => {
    for (const count of [0, 1, 3]) {
      const array = createJsonArray()
      for (let i = 0; i < count; i++) array.add(String(i))
      const made = array.finish()
      expect(made.text).toBe(JSON.stringify(Array.from({ length: count }, (_, i) => i)))
      expect(JSON.stringify({ made })).toBe(`{"made":${made.text}}`)
    }
  })
})

/** Keeps bytes as they are and counts them. */
const createKeeper = () => {
  const kept: number[] = []
  const keep: KeepBytes = bytes => {
    const copy = new Uint8Array(bytes)
    kept.push(copy.length)
    return { byteLength: copy.length, bytes: () => copy }
  }
  return { kept, keep }
}

describe('given a result larger than memory allows', () => {
  test('when it is built, then the host stores everything after its beginning', async () => {
    const element = JSON.stringify('\u00e9\u{1f600}'.repeat(50_000))
    const { kept, keep } = createKeeper()
    const array = createJsonArray(keep)
    for (let i = 0; i < 64; i++) array.add(element)
    const { pieces } = array.finish()
    const plain = pieces.filter(piece => typeof piece === 'string').join('')
    expect(plain.length).toBeGreaterThan(PLAIN_LENGTH_MAX - element.length)
    expect(plain.length).toBeLessThanOrEqual(PLAIN_LENGTH_MAX)
    expect(kept.length).toBeGreaterThan(10)
    const whole = `[${Array.from({ length: 64 }, () => element).join(',')}]`
    expect(pieces.map(pieceText).join('') === whole).toBe(true)
    expect((await new Response(streamOf(pieces, { scheduler })).text()) === whole).toBe(true)
  })

  test('when one part is longer than a piece, then the pieces have the same size nevertheless', () => {
    const { kept, keep } = createKeeper()
    const writer = createJsonWriter(keep)
    const part = createAsciiBuffer()
    part.ascii('x'.repeat(1000))
    writer.ascii(`"${'y'.repeat(6 * 1024 * 1024)}`)
    for (let i = 0; i < 3000; i++) writer.append(part)
    writer.ascii('"')
    const { text, pieces } = writer.finish()
    expect(text === `"${'y'.repeat(6 * 1024 * 1024)}${'x'.repeat(3_000_000)}"`).toBe(true)
    expect(Math.max(...kept)).toBe(256 * 1024)
    expect(pieces.length).toBeLessThan(40)
  })

  test('when it has integers, then they are written as JSON does', () => {
    const numbers = [0, 7, 10, 99, 100, 2 ** 31 - 1, 2 ** 31, Number.MAX_SAFE_INTEGER, -1, -12_345]
    const buffer = createAsciiBuffer()
    for (const number of numbers) {
      buffer.integer(number)
      buffer.ascii(' ')
    }
    expect(new TextDecoder().decode(buffer.bytes.subarray(0, buffer.length))).toBe(`${numbers.join(' ')} `)
  })
})
