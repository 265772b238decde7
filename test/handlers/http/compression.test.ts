import { gunzipSync, inflateSync } from 'node:zlib'
import { describe, expect, test } from 'bun:test'
import { requestScheduler } from '../../../handlers/inbound/requestScheduler.ts'
import {
  COMPRESSED_LENGTH_MIN,
  COMPRESSED_LENGTH_MIN_HERE,
  COMPRESSIONS_MAX,
  createCompression,
} from '../../../handlers/http/compression.ts'
import type { ReplyBody } from '../../../handlers/rpc/dispatch/envelope.ts'
import { turns } from '../../support/turns.ts'

const FAR = (): string => '192.0.2.1'
const HERE = (): string => '127.0.0.1'

const INIT = { status: 200, headers: { 'content-type': 'application/json' } }

const LONG = 'x'.repeat(COMPRESSED_LENGTH_MIN)
const VERY_LONG = 'x'.repeat(COMPRESSED_LENGTH_MIN_HERE)

const create = () => {
  const compression = createCompression(requestScheduler())
  return (body: ReplyBody, headers: Record<string, string> = {}, peer = FAR): Response =>
    compression.respond(body, { headers: new Headers(headers) }, peer, INIT)
}

const codingOf = (response: Response): string | null => response.headers.get('content-encoding')

const bytesOf = async (response: Response): Promise<Uint8Array> =>
  new Uint8Array(await response.arrayBuffer())

const GZIP = { 'accept-encoding': 'gzip, deflate' }

describe('given an answer', () => {
  test('when the client accepts a coding, then it is compressed with it', async () => {
    const respond = create()
    const zipped = respond(LONG, GZIP)
    expect([zipped.status, codingOf(zipped), zipped.headers.get('vary')]).toEqual([
      200,
      'gzip',
      'accept-encoding',
    ])
    expect(zipped.headers.get('content-type')).toBe('application/json')
    expect(gunzipSync(await bytesOf(zipped)).toString()).toBe(LONG)
    const deflated = respond(LONG, { 'accept-encoding': 'deflate' })
    expect(codingOf(deflated)).toBe('deflate')
    expect(inflateSync(await bytesOf(deflated)).toString()).toBe(LONG)
  })

  test('when the client accepts none, or the answer is short, then it is plain', async () => {
    const respond = create()
    for (const response of [respond(LONG), respond(LONG.slice(1), GZIP)]) {
      expect([codingOf(response), response.headers.get('vary')]).toEqual([null, null])
      expect((await response.text()).length).toBeGreaterThan(1000)
    }
    const refused = respond(LONG, { 'accept-encoding': 'br' })
    expect([codingOf(refused), refused.headers.get('vary')]).toEqual([null, 'accept-encoding'])
  })

  test('when plain answers are refused, then it is compressed, however short', async () => {
    const response = create()('short', { 'accept-encoding': 'gzip, identity;q=0' }, HERE)
    expect(gunzipSync(await bytesOf(response)).toString()).toBe('short')
  })

  test('when the client is on this machine, then only a very long answer is compressed', () => {
    const respond = create()
    for (const address of ['127.0.0.1', '127.1.2.3', '::1', '::ffff:127.0.0.1']) {
      expect(codingOf(respond(VERY_LONG.slice(1), GZIP, () => address))).toBeNull()
      expect(codingOf(respond(VERY_LONG, GZIP, () => address))).toBe('gzip')
      const proxied = { ...GZIP, 'x-forwarded-for': '192.0.2.1' }
      expect(codingOf(respond(LONG, proxied, () => address))).toBe('gzip')
    }
    for (const address of ['', '::2', '10.127.0.1'])
      expect(codingOf(respond(LONG, GZIP, () => address))).toBe('gzip')
  })

  test('when it comes in pieces of any length, then it is compressed while it is read, and no character is cut', async () => {
    const respond = create()
    const bodies = [
      ['[', ...Array.from({ length: 50_000 }, (_, i) => `"é${i}",`), '0]'],
      ['x'.repeat(65_535), '😀', 'y', '😀'.repeat(100_000)],
      ['x', '😀'.repeat(200_000), 'z'],
    ]
    for (const body of bodies)
      expect(gunzipSync(await bytesOf(respond(body, GZIP))).toString()).toBe(body.join(''))
    const whole = '😀'.repeat(200_000)
    expect(gunzipSync(await bytesOf(respond(whole, GZIP))).toString()).toBe(whole)
  })

  test('when it is compressed, then other work runs in between', async () => {
    let turns = 0
    let timer = setImmediate(function turn() {
      turns++
      timer = setImmediate(turn)
    })
    await bytesOf(create()('x'.repeat(10_000_000), GZIP))
    clearImmediate(timer)
    expect(turns).toBeGreaterThan(20)
  })
})

describe('given many answers at the same time', () => {
  const MEGABYTE = Array.from({ length: 16 }, () => 'x'.repeat(64 * 1024))

  test('when they exceed the number of compressions, then the others are plain until one is read or abandoned', async () => {
    const respond = create()
    const open = Array.from({ length: COMPRESSIONS_MAX }, () => respond(MEGABYTE, GZIP))
    expect(open.every(response => codingOf(response) === 'gzip')).toBe(true)
    const plain = respond(MEGABYTE, GZIP)
    expect([codingOf(plain), plain.headers.get('vary')]).toEqual([null, 'accept-encoding'])
    expect(await plain.text()).toBe(MEGABYTE.join(''))

    expect(gunzipSync(await bytesOf(open[0] as Response)).toString()).toBe(MEGABYTE.join(''))
    const again = respond(MEGABYTE, GZIP)
    expect(codingOf(again)).toBe('gzip')
    expect(codingOf(respond(MEGABYTE, GZIP))).toBeNull()

    await again.body?.cancel()
    await turns(1)
    expect(codingOf(respond(MEGABYTE, GZIP))).toBe('gzip')
    expect(codingOf(respond(MEGABYTE, GZIP))).toBeNull()
  })
})
