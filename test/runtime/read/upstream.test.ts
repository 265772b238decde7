import { afterAll, expect, test } from 'bun:test'
import { until } from '../../support/until.ts'
import { createUpstream, refuseCalls, upstreamProblem } from '../../../runtime/read/upstream.ts'

const SECRETS: string[] = []

/** A server to which another one sends callers. */
const thief = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: request => {
    SECRETS.push(String(request.headers.get('authorization')))
    return Response.json({ result: 'stolen' })
  },
})

const json = (text: string, status = 200): Response =>
  new Response(text, { status, headers: { 'content-type': 'application/json' } })

const waiting: (() => void)[] = []

/** Upstream nodes, good and bad, by their paths. */
const NODES: Readonly<Record<string, (request: Request) => Response | Promise<Response>>> = {
  '/': request => Response.json({ result: request.headers.get('authorization') }),
  '/old': () => json('{"result":"0x1","error":null,"id":1}'),
  '/refuses': () => json('{"error":{"code":-40100,"message":"Unauthorized","data":"why"}}', 401),
  '/endless': () =>
    new Response(
      new ReadableStream({ pull: controller => controller.enqueue(new Uint8Array(1024 * 1024).fill(0x20)) }),
    ),
  '/garbage': () => new Response('<html>', { status: 502 }),
  '/redirects': () => Response.redirect(`http://127.0.0.1:${thief.port}/`, 307),
  '/null': () => json('null'),
  '/list': () => json('[{"result":1}]'),
  '/nothing': () => json('{}'),
  '/text-error': () => json('{"error":"no"}'),
  '/codeless-error': () => json('{"error":{"code":"x","message":{}}}'),
  '/deep': () => json(`{"result":${'['.repeat(5_000)}${']'.repeat(5_000)}}`),
  '/silent': () => new Promise<Response>(resolve => waiting.push(() => resolve(json('{"result":1}')))),
}
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: request => NODES[new URL(request.url).pathname]?.(request) ?? new Response(null, { status: 404 }),
})
afterAll(async () => {
  await server.stop(true)
  await thief.stop(true)
})

const callerOf = (path: string, callsMax?: number) => {
  const reported: string[] = []
  const call = createUpstream(
    `http://127.0.0.1:${server.port}${path}`,
    (_, error) => {
      reported.push(String(error))
    },
    callsMax,
  )
  return { ask: () => call('eth_sendRawTransaction', ['0x00'], 'Bearer mine'), reported }
}

test('given an upstream node, when a call is forwarded, then it has the token of the caller', async () => {
  expect(await callerOf('/').ask()).toEqual({ result: 'Bearer mine' })
})

test('given a result beside an empty error, or an error, then each is passed on', async () => {
  expect(await callerOf('/old').ask()).toEqual({ result: '0x1' })
  expect(await callerOf('/refuses').ask()).toEqual({
    error: { code: -40100, message: 'Unauthorized', data: 'why' },
  })
})

test.each([
  ['/endless', 'longer than 16777216 bytes'],
  ['/garbage', 'it answers 502: <html>'],
  ['/redirects', 'it answers 307'],
  ['/null', 'not one of JSON-RPC'],
  ['/list', 'not one of JSON-RPC'],
  ['/nothing', 'neither result nor error'],
  ['/text-error', 'its error is not one of JSON-RPC'],
  ['/codeless-error', 'its error is not one of JSON-RPC'],
  ['/deep', 'nests deeper than 64 levels'],
])(
  'given an upstream node that answers %s, then the caller has an error, and the log the reason',
  async (path, reason) => {
    const { ask, reported } = callerOf(path)
    expect(await ask()).toMatchObject({
      error: { code: -32603, data: 'the upstream node gave no answer that can be used' },
    })
    expect(reported.join()).toContain(reason)
    expect(SECRETS).toEqual([])
  },
)

test('given an upstream node that is silent, then so many calls wait, and further ones are refused at once', async () => {
  const { ask } = callerOf('/silent', 2)
  const calls = [ask(), ask()]
  expect(await ask()).toMatchObject({ error: { code: -32005 } })
  await until(() => waiting.length === 2)
  for (const answer of waiting) answer()
  expect(await Promise.all(calls)).toEqual([{ result: 1 }, { result: 1 }])
})

test('given no upstream node, then the refusal says what configures one', async () => {
  expect(await refuseCalls('give --upstream')('eth_sendRawTransaction', [], null)).toMatchObject({
    error: { code: -32604, data: 'give --upstream' },
  })
})

test('given an address, then only that of an HTTP server is taken', () => {
  expect(upstreamProblem('https://node.example/rpc')).toBeUndefined()
  for (const url of ['node:8545', 'ws://node', '10.0.0.7:8545', ''])
    expect(upstreamProblem(url)).toContain('is not an http or https URL')
})
