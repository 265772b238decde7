import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'bun:test'
import { createRpcApp, HTTP_DEFAULTS, type HttpOptions } from '../../../handlers/http/app.ts'
import { BODY_BYTES_MAX, contextWith, send } from './endpoint.ts'

const post = (body: string, headers: Record<string, string> = {}, options: Partial<HttpOptions> = {}) =>
  send('/', { method: 'POST', body, headers }, options)

const ACCOUNTS = '{"jsonrpc":"2.0","id":1,"method":"eth_accounts","params":[]}'
const ANSWER = '{"jsonrpc":"2.0","id":1,"result":[]}'

/** A body without Content-Length, in chunks. */
const streamOf = (chunks: readonly string[]): ReadableStream<Uint8Array> => {
  const encoder = new TextEncoder()
  return new ReadableStream({
    start: controller => {
      for (const chunk of chunks) controller.enqueue(encoder.encode(chunk))
      controller.close()
    },
  })
}

describe('given the routes', () => {
  test('when POST / has any content type, then JSON-RPC answers', async () => {
    for (const headers of [{}, { 'content-type': 'text/plain' }, { accept: '*/*' }]) {
      const response = await post(ACCOUNTS, headers)
      expect(response.status).toBe(200)
      expect(response.headers.get('content-type')).toBe('application/json')
      expect(await response.text()).toBe(ANSWER)
    }
  })

  test('when POST / contains no request, then it is 400 with a JSON-RPC error', async () => {
    const response = await post('{')
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ id: null, error: { code: -32700 } })
  })

  test('when POST / contains a notification, then it is 200 and empty', async () => {
    const response = await post('{"jsonrpc":"2.0","method":"eth_accounts"}')
    expect([response.status, await response.text()]).toEqual([200, ''])
  })

  test('when the client of POST / accepts no JSON, then it is 406', async () => {
    expect((await post(ACCOUNTS, { accept: 'text/html' })).status).toBe(406)
    expect((await post(ACCOUNTS, { accept: 'text/html, application/*' })).status).toBe(200)
  })

  test('when GET / is sent, then it is 201 with one line about the node', async () => {
    const response = await send('/')
    expect([response.status, await response.text()]).toEqual([
      201,
      'quorate/v0 is a QBFT blockchain node of chain 1337. It answers JSON-RPC requests sent with POST to this address.\n',
    ])
  })

  test('when other methods are sent, then they are 405 with the allowed ones', async () => {
    for (const method of ['PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
      const response = await send('/', { method })
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, POST'])
    }
    expect((await send('/liveness', { method: 'POST' })).status).toBe(405)
  })

  test('when the client refuses plain answers, then they are compressed, and vary by origin, too', async () => {
    const response = await post(
      ACCOUNTS,
      { 'accept-encoding': 'gzip, identity;q=0', origin: 'http://a.example' },
      { corsOrigins: ['*'] },
    )
    expect(response.headers.get('content-encoding')).toBe('gzip')
    expect(response.headers.get('vary')).toBe('accept-encoding, origin')
    expect(gunzipSync(new Uint8Array(await response.arrayBuffer())).toString()).toBe(ANSWER)
  })

  test('when other paths are requested, then they are 404', async () => {
    for (const init of [{}, { method: 'POST', body: ACCOUNTS }]) {
      const response = await send('/nothing', init)
      expect([response.status, response.headers.get('content-type')]).toEqual([
        404,
        'text/html; charset=utf-8',
      ])
      expect(await response.text()).toBe('<html><body><h1>Resource not found</h1></body></html>')
    }
  })
})

describe('given a body', () => {
  const tooLong = ' '.repeat(BODY_BYTES_MAX + 1 - ACCOUNTS.length) + ACCOUNTS

  test('when it has exactly the maximum length, then it is read, and one byte more is 413', async () => {
    expect((await post(tooLong.slice(1))).status).toBe(200)
    expect((await post(tooLong)).status).toBe(413)
    expect((await post(tooLong, { 'content-length': String(tooLong.length) })).status).toBe(413)
  })

  test('when it has no declared length, then it is counted as it arrives', async () => {
    const chunks = (text: string): string[] => [text.slice(0, 10), text.slice(10, 900), text.slice(900)]
    const stream = (text: string) => send('/', { method: 'POST', body: streamOf(chunks(text)) })
    const response = await stream(tooLong.slice(1))
    expect([response.status, await response.text()]).toEqual([200, ANSWER])
    expect((await stream(tooLong)).status).toBe(413)
  })

  test('when it does not arrive in time, then it is 408 and the connection ends', async () => {
    const context = contextWith()
    const options = { ...context.options, timeoutMs: 20 }
    const body = new ReadableStream({ start: controller => controller.enqueue(new Uint8Array([123])) })
    const response = await send('/', { method: 'POST', body }, {}, contextWith({ options }))
    expect([response.status, response.headers.get('connection')]).toEqual([408, 'close'])
    expect(await response.json()).toEqual({
      jsonrpc: '2.0',
      id: null,
      error: { code: -32603, message: 'Timeout expired' },
    })
  })

  test('when it is compressed, then it is 415 with the accepted coding', async () => {
    for (const coding of ['gzip', 'br', 'identity, gzip']) {
      const response = await post(ACCOUNTS, { 'content-encoding': coding })
      expect([response.status, response.headers.get('accept-encoding')]).toEqual([415, 'identity'])
    }
    for (const coding of ['identity', 'Identity'])
      expect((await post(ACCOUNTS, { 'content-encoding': coding })).status).toBe(200)
  })

  test('when the client disconnects, then it is 400', async () => {
    const body = new ReadableStream({
      start: controller => {
        controller.enqueue(new TextEncoder().encode('{"id":1'))
        controller.error(new Error('gone'))
      },
    })
    expect((await send('/', { method: 'POST', body })).status).toBe(400)
  })
})

describe('given the host allowlist', () => {
  const statusOf = async (host: string, hostAllowlist?: readonly string[]): Promise<number> =>
    (await send('/', { headers: { host } }, hostAllowlist === undefined ? {} : { hostAllowlist })).status

  test('when the host is listed, then it is served, whatever its port and case', async () => {
    for (const host of ['localhost', 'LocalHost:1', '127.0.0.1:8545']) expect(await statusOf(host)).toBe(201)
    expect(await statusOf('[::1]:8545', ['[::1]'])).toBe(201)
  })

  test('when the host is not listed, then every path but the probes is 403 with a JSON text', async () => {
    const response = await send('/', { headers: { host: 'evil.example' } })
    expect(response.status).toBe(403)
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(await response.text()).toBe(
      '{"message":"Host not authorized. --host-allowlist names the hosts that are."}',
    )
  })

  test('when a listed host came before, then another is refused nevertheless', async () => {
    const { fetch } = createRpcApp(contextWith(), HTTP_DEFAULTS)
    const ask = async (host: string) => (await fetch(new Request('http://x/', { headers: { host } }))).status
    expect([await ask('localhost'), await ask('localhost'), await ask('evil.example')]).toEqual([
      201, 201, 403,
    ])
  })

  test('when the authority is malformed, then it is 400', async () => {
    for (const host of ['ally:friend', 'ally:123456', 'ally:99999', 'a:b:c'])
      expect(await statusOf(host)).toBe(400)
  })

  test('when two hosts are named, then it is 400, also where every host may', async () => {
    for (const hosts of ['localhost, evil.example', 'evil.example, localhost', 'localhost,localhost'])
      for (const allowlist of [['localhost'], ['*']]) expect(await statusOf(hosts, allowlist)).toBe(400)
  })

  test('given no host header, when the URL names a host, then that counts', async () => {
    const { fetch } = createRpcApp(contextWith(), HTTP_DEFAULTS)
    expect((await fetch(new Request('http://localhost/'))).status).toBe(201)
    expect((await fetch(new Request('http://localhost:8545/'))).status).toBe(201)
    expect((await fetch(new Request('http://evil.example/'))).status).toBe(403)
  })

  test('given an empty host, when only some hosts may, then it is refused', async () => {
    const empty = () => new Request('http://localhost/', { headers: { host: '' } })
    const { fetch } = createRpcApp(contextWith(), HTTP_DEFAULTS)
    expect((await fetch(empty())).status).toBe(403)
    const open = createRpcApp(contextWith(), { ...HTTP_DEFAULTS, hostAllowlist: ['*'] })
    expect((await open.fetch(empty())).status).toBe(201)
    expect(await statusOf('evil.example', ['*'])).toBe(201)
  })

  test('when it is empty, then everyone is refused', async () => {
    expect(await statusOf('localhost', [])).toBe(403)
  })
})

describe('given CORS', () => {
  const fromOrigin = (origin: string, corsOrigins: readonly string[] = [], init: RequestInit = {}) =>
    send('/', { ...init, headers: { origin, ...(init.headers as Record<string, string>) } }, { corsOrigins })

  test('when nothing is configured, then every origin is refused', async () => {
    const response = await fromOrigin('http://a.example')
    expect([response.status, await response.text()]).toEqual([
      403,
      'Origin not allowed. --rpc-http-cors-origins names the origins that are.',
    ])
    expect(response.headers.get('access-control-allow-origin')).toBeNull()
  })

  test('when an origin is listed, then it can read the answer', async () => {
    const response = await fromOrigin('http://a.example', ['http://b.example', 'http://a.example'])
    expect(response.status).toBe(201)
    expect(response.headers.get('access-control-allow-origin')).toBe('http://a.example')
    expect(response.headers.get('vary')).toBe('origin')
  })

  test('when the list has patterns, then they match the whole origin', async () => {
    const patterns = ['http://.*\\.example', 'http://x']
    expect((await fromOrigin('http://a.example', patterns)).status).toBe(201)
    expect((await fromOrigin('http://a.example.evil', patterns)).status).toBe(403)
    expect((await fromOrigin('http://xy', patterns)).status).toBe(403)
    expect((await fromOrigin(`http://${'a'.repeat(2000)}.example`, patterns)).status).toBe(403)
  })

  test('when the list is *, then every origin is allowed, null too', async () => {
    expect((await fromOrigin('null', ['*'])).headers.get('access-control-allow-origin')).toBe('null')
  })

  test('when a preflight comes, then it is 204 and nothing else', async () => {
    const response = await fromOrigin('http://a.example', ['*'], {
      method: 'OPTIONS',
      headers: { 'access-control-request-method': 'POST' },
    })
    expect(response.status).toBe(204)
    expect(Object.fromEntries(response.headers)).toEqual({
      'access-control-allow-headers': '*,authorization,content-type',
      'access-control-allow-origin': 'http://a.example',
      vary: 'origin',
    })
  })
})
