import { expect, test } from 'bun:test'
import { createUpstream } from '../../../runtime/fork/upstream.ts'
import { rejection } from '../../support/rejection.ts'

type Call = { readonly id: number; readonly method: string }

const serving = async (
  answer: (body: Call | readonly Call[], request: Request) => Response | Promise<Response>,
  use: (url: string) => Promise<void>,
): Promise<void> => {
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async request => answer((await request.json()) as Call | readonly Call[], request),
  })
  try {
    await use(`http://127.0.0.1:${server.port}/`)
  } finally {
    await server.stop(true)
  }
}

const resultOf = ({ id, method }: Call) => ({ jsonrpc: '2.0', id, result: method })

test('given calls made in one turn, when the upstream node gets them, then they are one request', async () => {
  let requests = 0
  await serving(
    body => {
      requests++
      return Response.json((body as readonly Call[]).toReversed().map(resultOf))
    },
    async url => {
      const { call } = createUpstream(url)
      expect(await Promise.all([call('one', []), call('two', [])])).toEqual(['one', 'two'])
      expect(requests).toBe(1)
    },
  )
})

test('given a node that refuses batches, when several calls are made, then each is sent alone', () =>
  serving(
    body => Response.json(Array.isArray(body) ? { error: { code: -32600 } } : resultOf(body as Call)),
    async url => {
      const { call } = createUpstream(url)
      expect(await Promise.all([call('one', []), call('two', [])])).toEqual(['one', 'two'])
    },
  ))

test('given a node that limits its rate, when a request is refused once, then it is sent again', async () => {
  let requests = 0
  await serving(
    body => (requests++ === 0 ? new Response('', { status: 429 }) : Response.json(resultOf(body as Call))),
    async url => {
      expect(await createUpstream(url).call('one', [])).toBe('one')
      expect(requests).toBe(2)
    },
  )
})

test('given a URL with a password, when the node is asked, then it gets the password as a header, and messages hide it', () =>
  serving(
    (body, request) =>
      Response.json({ ...resultOf(body as Call), result: request.headers.get('authorization') }),
    async url => {
      const upstream = createUpstream(`${url.replace('//', '//me:secret@')}key?token=1`)
      expect(await upstream.call('one', [])).toBe(`Basic ${btoa('me:secret')}`)
      expect(`${upstream.shownUrl}/`).toBe(url)
    },
  ))

const FAILURES: Readonly<Record<string, readonly [() => Response | Promise<Response>, RegExp]>> = {
  'answers with HTML': [() => new Response('<html>'), /does not answer with JSON/],
  'answers with null': [() => Response.json(null), /has no answer to one/],
  'has no result': [() => Response.json({ id: 0 }), /has no result of one/],
  'refuses the call': [
    () => Response.json({ error: { code: -1, message: 'no state here' } }),
    /one at .*: no state here/,
  ],
  'is silent': [() => new Promise(() => undefined), /no answer came within 0.2 s/],
  'is overloaded': [() => new Response('', { status: 503 }), /status 503/],
}

for (const [name, [answer, message]] of Object.entries(FAILURES))
  test(`given a node that ${name}, when a call is made, then the one error of forks says so`, () =>
    serving(answer, async url => {
      const error = await rejection(createUpstream(url, 200).call('one', []))
      expect(error).toMatchObject({ code: 'FORK_UNAVAILABLE', message: expect.stringMatching(message) })
    }))

test('given no node at the address, when a call is made, then the one error of forks says so', async () => {
  const error = await rejection(createUpstream('http://127.0.0.1:1/').call('one', []))
  expect(error).toMatchObject({ code: 'FORK_UNAVAILABLE', message: expect.stringMatching(/refused/) })
})

for (const [name, text, message] of [
  ['nests its answer deeply', '['.repeat(100_000), /nests deeper than 32/],
  ['answers with millions of values', `[${'0,'.repeat(2_000_000)}0]`, /more than 2000000 values/],
] as const)
  test(`given a node that ${name}, when a call is made, then the answer is refused before it is parsed`, () =>
    serving(
      () => new Response(text),
      async url => {
        const error = await rejection(createUpstream(url).call('one', []))
        expect(error).toMatchObject({ code: 'FORK_UNAVAILABLE', message: expect.stringMatching(message) })
      },
    ))
