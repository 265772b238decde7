import { afterEach, expect, test } from 'bun:test'
import { runHere } from '../commandLine.ts'

type Server = ReturnType<typeof Bun.serve>

const servers: Server[] = []
afterEach(() => Promise.all(servers.splice(0).map(server => server.stop(true))))

/** A server that answers calls with these results, and everything else with 404. */
const serve = (answers: Readonly<Record<string, unknown>> | (() => Response)): string => {
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async request => {
      if (typeof answers === 'function') return answers()
      if (request.method !== 'POST') return new Response('', { status: 404 })
      const { method } = (await request.json()) as { readonly method: string }
      return Response.json({ jsonrpc: '2.0', id: 1, result: answers[method] ?? null })
    },
  })
  servers.push(server)
  return `http://127.0.0.1:${server.port}`
}

const doctor = (url: string, ...args: readonly string[]) => runHere(['doctor', `--url=${url}`, ...args])

const endless = (): Response =>
  new Response(
    new ReadableStream({ pull: controller => controller.enqueue(new Uint8Array(64 * 1024).fill(32)) }),
  )

const validator = {
  address: `0x${'1'.repeat(40)}`,
  self: true,
  connected: true,
  heard: true,
  client: 'quorate/v1.0.0',
  clockOffsetMs: 0,
}
const STATUS = {
  status: 'well',
  explanation: null,
  blockNumber: '0xc',
  round: 0,
  isValidator: true,
  quorum: 1,
  heard: 1,
  client: 'quorate/v1.0.0',
  validators: [validator],
}

const CASES: readonly (readonly [string, Parameters<typeof serve>[0], string])[] = [
  ['sends without end', endless, 'its answer is longer than 4194304 bytes'],
  ['redirects', () => Response.redirect('http://127.0.0.1:1/'), 'its answer is not JSON-RPC'],
  ['is a web site', () => new Response('<html></html>'), 'its answer is not JSON-RPC'],
  ['answers null', () => Response.json(null), 'its answer is not JSON-RPC'],
  ['knows no status', {}, 'in an unknown form'],
  ['gives numbers for texts', { qbft_getStatus: { ...STATUS, client: 7 } }, 'in an unknown form'],
  ['gives texts for counts', { qbft_getStatus: { ...STATUS, heard: 'all' } }, 'in an unknown form'],
  ['has a block number of no digits', { qbft_getStatus: { ...STATUS, blockNumber: '0x' } }, 'unknown form'],
  [
    'has validators of another shape',
    { qbft_getStatus: { ...STATUS, validators: [{ address: '0x1' }] } },
    'in an unknown form',
  ],
  [
    'gives a null error',
    () => Response.json({ jsonrpc: '2.0', id: 1, error: { code: -1, message: { a: 1 } } }),
    'refuses qbft_getStatus',
  ],
]

test.each(CASES)(
  'given a server that %s, when doctor calls it, then one sentence says so',
  async (_, answers, text) => {
    const url = serve(answers)
    const { code, error, out } = await doctor(url)
    expect([code, out]).toEqual([1, ''])
    expect(error.trim().split('\n')).toEqual([expect.stringContaining(text)])
    const json = await doctor(url, '--json')
    expect(json.code).toBe(1)
    expect(JSON.parse(json.out)).toMatchObject({ well: false, checks: [{ name: 'node', well: false }] })
  },
)

test('given a server whose texts control the terminal, when doctor prints them, then they do not', async () => {
  const evil = '\u001b]0;title\u0007\u001b[2Jwell\r\nwell  blocks'
  const validators = [{ ...validator, client: evil }]
  const url = serve({
    qbft_getStatus: { ...STATUS, status: 'stalled', explanation: evil, validators },
    net_enode: evil,
  })
  const { code, out } = await doctor(url)
  expect(code).toBe(1)
  expect(out).toContain('which is no enode URL')
  expect(out.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u)
  expect(out).not.toMatch(/^well {2}blocks/m)
  const probe = await runHere(['probe', `--url=${serve(() => new Response(evil, { status: 503 }))}`])
  expect([probe.code, /\p{Cc}/u.test(probe.out.trimEnd())]).toEqual([1, false])
})

test('given a well node of one validator, when doctor calls it, then every check passes, and the exit code is 0', async () => {
  const { code, out } = await doctor(serve({ qbft_getStatus: STATUS }), '--json')
  expect(code).toBe(0)
  expect(JSON.parse(out)).toMatchObject({ well: true })
  expect((await doctor(serve({ qbft_getStatus: STATUS }), '--before-restart')).code).toBe(1)
})
