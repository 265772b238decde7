import { afterAll, expect, test } from 'bun:test'
import { createUpstream } from '../../../runtime/read/upstream.ts'

/** An upstream node that answers what its path says. */
const server = Bun.serve({
  port: 0,
  fetch: async request => {
    const { pathname } = new URL(request.url)
    if (pathname === '/endless')
      return new Response(
        new ReadableStream({
          pull: controller => controller.enqueue(new Uint8Array(1024 * 1024).fill(0x20)),
        }),
      )
    if (pathname === '/garbage') return new Response('<html>', { status: 502 })
    return Response.json({ result: request.headers.get('authorization') })
  },
})
afterAll(() => server.stop(true))

const ask = async (path: string) => {
  const reported: string[] = []
  const call = createUpstream(`http://127.0.0.1:${server.port}${path}`, (_, error) => {
    reported.push(String(error))
  })
  const answer = await call('eth_sendRawTransaction', ['0x00'], 'Bearer mine')
  return { answer, reported }
}

test('given an upstream node, when a call is forwarded, then it has the token of the caller', async () => {
  expect((await ask('/')).answer).toEqual({ result: 'Bearer mine' })
})

test.each([
  ['/endless', 'longer than 16777216 bytes'],
  ['/garbage', 'JSON'],
])(
  'given an upstream node that answers %s, then the caller has an error, and the log the reason',
  async (path, reason) => {
    const { answer, reported } = await ask(path)
    expect(answer).toMatchObject({ error: { code: -32603, data: 'the upstream node does not answer' } })
    expect(reported.join()).toContain(reason)
  },
)
