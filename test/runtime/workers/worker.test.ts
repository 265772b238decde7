import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateKeyPair, exportSPKI, SignJWT } from 'jose'
import { decodeExtraData, encodeExtraData } from '../../../core/block/codec/extraData.ts'
import { decodeValues, encodeKeys, encodeWrite } from '../../../core/store/codec/entries.ts'
import { decodeReplicaHead, encodeReplicaHead } from '../../../core/store/replica/replicaHead.ts'
import { faultsOf, hostileBodies, statusesOfQueries } from '../../support/readers/hostileRequests.ts'
import {
  ask,
  differentAnswers,
  makeTokenChain,
  readerRequests,
  type TokenChain,
} from '../../support/readers/readerRequests.ts'
import { HAS_POSTGRESQL, startPostgresql } from '../../support/servers/postgresql.ts'
import { startWorker, type WorkerProcess } from '../../support/servers/worker.ts'
import { type NodeProcess, startNode } from '../nodeProcess.ts'
import { until } from '../../support/until.ts'

setDefaultTimeout(120_000)

const SECRET = 'a secret of this deployment'
const APIS = 'ETH,NET,WEB3,QBFT,DEBUG,TXPOOL'
const COMMON = { MIN_GAS_PRICE: '0', APIS, GAS_CAP: '100000000' }

const numberOf = async (url: string): Promise<number> => {
  const text = await ask(url, ['eth_blockNumber'])
  return text.startsWith('{') ? Number((JSON.parse(text) as { result: string }).result) : -1
}

const filesBelow = (folder: string): readonly string[] =>
  readdirSync(folder).flatMap(name => {
    const path = join(folder, name)
    return statSync(path).isDirectory() ? filesBelow(path) : [path]
  })

const withoutSeals = (extraData: Uint8Array): Uint8Array =>
  encodeExtraData({ ...decodeExtraData(extraData), seals: [] })

const postStore = (url: string, what: string, body: Uint8Array, secret = SECRET): Promise<Response> =>
  fetch(`${url}/store/${what}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}` },
    body: new Uint8Array(body),
  })

const DEPLOYMENTS = [
  { stores: 'a Durable Object and R2', environment: '', half: 0, bucket: 'quorate-values' },
  // What KV lacks is in D1 as well for some minutes.
  { stores: 'D1 and Workers KV', environment: 'd1', half: 1, bucket: undefined },
]

describe.each(DEPLOYMENTS)('the Worker over $stores, in workerd', ({ environment, half, bucket }) => {
  const folder = mkdtempSync(join(tmpdir(), 'quorate-'))
  let genesis = ''
  let worker: WorkerProcess
  let node: NodeProcess
  let chain: TokenChain
  let head = 0

  beforeAll(async () => {
    const first = await startNode(folder, ['--min-gas-price=0'])
    await first.stop()
    genesis = JSON.stringify(JSON.parse(readFileSync(join(folder, 'genesis.json'), 'utf8')))
    worker = await startWorker({
      environment,
      variables: { ...COMMON, GENESIS: genesis, STORE_SECRET: SECRET },
    })
    node = await startNode(folder, [
      '--min-gas-price=0',
      `--rpc-http-api=${APIS}`,
      `--replicate-to=http?url=${worker.url}&secret=${encodeURIComponent(SECRET)}`,
    ])
    chain = await makeTokenChain(node.url, 70)
    head = await numberOf(node.url)
    await until(async () => (await numberOf(worker.url)) === head, { what: 'the Worker at the head' })
  })
  afterAll(async () => {
    await node?.stop()
    await worker?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const storedHead = async () => {
    const response = await postStore(worker.url, 'read', encodeKeys(['replica']))
    const [stored] = decodeValues(new Uint8Array(await response.arrayBuffer()), 1)
    if (stored === undefined) throw new Error('there is no replica')
    return { stored, replica: decodeReplicaHead(stored) }
  }
  const writeHead = (expected: Uint8Array, value: Uint8Array): Promise<Response> =>
    postStore(
      worker.url,
      'write',
      encodeWrite({ key: 'replica', value: expected, entries: [{ key: 'replica', value }] }),
    )

  // The first test, so that nothing has read these values before.
  test.skipIf(bucket === undefined)(
    'given values that R2 damages for a moment, then each is refused with the reason, and right once R2 is repaired',
    async () => {
      const objects = filesBelow(join(worker.storesFolder, 'v3/r2', String(bucket), 'blobs'))
      const honest = objects.map(file => [file, readFileSync(file)] as const)
      const block: Parameters<typeof ask>[1] = ['eth_getBlockByNumber', '0x9', true]
      const reason = 'the shared store has a damaged value (segment:9): its checksum does not match'
      for (const [file, bytes] of honest)
        writeFileSync(
          file,
          bytes.map((byte, at) => (at === bytes.length >> 1 ? byte ^ 0xff : byte)),
        )
      const damaged = await ask(worker.url, block)
      const readiness = await fetch(`${worker.url}/readiness`)
      for (const [file, bytes] of honest) writeFileSync(file, bytes)
      expect(damaged).toContain(reason)
      expect(readiness.status).toBe(503)
      expect(await readiness.text()).toContain(reason)
      expect(await ask(worker.url, block)).toBe(await ask(node.url, block))
    },
  )

  test('given a chain that a node fills in, then its answers are those of the node to the byte', async () => {
    expect(await differentAnswers(node.url, worker.url, readerRequests(chain, head))).toEqual([])
  })

  test('given JSON-RPC, GraphQL and the probes, then each says its block, and a pool is not there', async () => {
    const response = await fetch(`${worker.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ block { number } }' }),
    })
    expect(response.headers.get('x-quorate-block')).toStartWith(`${head}:0x`)
    expect(await response.json()).toEqual({ data: { block: { number: `0x${head.toString(16)}` } } })
    // What was damaged before is a reason for some seconds.
    await until(async () => (await fetch(`${worker.url}/readiness`)).ok, { what: 'a Worker that is ready' })
    for (const method of ['eth_sendRawTransaction', 'eth_newBlockFilter'])
      expect(JSON.parse(await ask(worker.url, [method, '0x00']))).toMatchObject({ error: { code: -32604 } })
  })

  test('given many requests at once, then each is answered', async () => {
    const requests = readerRequests(chain, head).slice(0, 20)
    const expected = await Promise.all(requests.map(request => ask(node.url, request)))
    const rounds = await Promise.all(
      [1, 2, 3].map(() => Promise.all(requests.map(request => ask(worker.url, request)))),
    )
    for (const answers of rounds) expect(answers).toEqual(expected)
  })

  test('given no secret, a wrong one, or a write that is no replica, then nothing is written', async () => {
    expect(
      (await postStore(worker.url, 'read', encodeKeys(['replica']), 'another secret of theirs')).status,
    ).toBe(401)
    expect((await fetch(`${worker.url}/store/read`, { method: 'POST' })).status).toBe(401)
    expect((await postStore(worker.url, 'read', Uint8Array.of(255, 255, 255))).status).toBe(400)
    const forged = encodeWrite({
      key: 'a:00',
      value: undefined,
      entries: [{ key: 'a:00', value: Uint8Array.of(1) }],
    })
    expect((await postStore(worker.url, 'write', forged)).status).toBe(400)
  })

  test('given a head that nobody sealed, then it is refused, and the Worker keeps its own', async () => {
    const { stored, replica } = await storedHead()
    const before = replica.head
    if (before === undefined) throw new Error('there is no head')
    const header = { ...before.header, number: before.header.number + 1n }
    const unsealed = { ...header, extraData: withoutSeals(header.extraData) }
    const forged = { ...header, stateRoot: new Uint8Array(32).fill(9) }
    for (const [changed, reason] of [
      [unsealed, 'seal'],
      [forged, 'seal'],
    ] as const) {
      const next = { ...replica, sequence: replica.sequence + 1, head: { ...before, header: changed } }
      const response = await writeHead(stored, encodeReplicaHead(next))
      expect(response.status).toBe(422)
      expect(await response.text()).toContain(reason)
    }
    expect(await numberOf(worker.url)).toBe(head)
  })

  test('given a write that was sent before, an older head, or another chain, then it is refused', async () => {
    const { stored, replica } = await storedHead()
    const again = await writeHead(stored, stored)
    expect([again.status, await again.text()]).toEqual([409, expect.stringContaining('sequence') as string])
    const older = { ...replica, sequence: replica.sequence + 1, head: undefined }
    expect(await (await writeHead(stored, encodeReplicaHead(older))).text()).toContain(
      'before the stored one',
    )
    const other = { ...replica, sequence: replica.sequence + 1, genesisHash: new Uint8Array(32).fill(1) }
    expect(await (await writeHead(stored, encodeReplicaHead(other))).text()).toContain('another chain')
    const next = encodeReplicaHead({ ...replica, sequence: replica.sequence + 1 })
    const stale = await writeHead(encodeReplicaHead({ ...replica, sequence: 1 }), next)
    expect([stale.status, await stale.text()]).toEqual([
      409,
      expect.stringContaining('another one') as string,
    ])
    expect((await storedHead()).stored).toEqual(stored)
  })

  // A reader beside a node gets all of it (test/runtime/read/reader.test.ts).
  test('given half of the corpus of the fuzzers, then there is no fault of the server', async () => {
    const bodies = hostileBodies(chain).filter((_, index) => index % 2 === half)
    expect(await faultsOf(worker.url, bodies)).toEqual([])
    for (const status of await statusesOfQueries(`${worker.url}/graphql`)) expect(status).toBeLessThan(500)
    expect((await fetch(worker.url, { method: 'PUT', body: 'x' })).status).toBe(405)
    expect((await fetch(`${worker.url}/nothing`)).status).toBe(404)
    expect(await differentAnswers(node.url, worker.url, readerRequests(chain, head).slice(0, 10))).toEqual([])
  })
})

describe.skipIf(!HAS_POSTGRESQL)('the Worker over PostgreSQL', () => {
  /** Ends what was started, the last first, however the test ends. */
  const ends: (() => Promise<unknown>)[] = []
  afterAll(async () => {
    for (const end of ends.reverse()) await end()
  })

  test('given tokens, an upstream node and a store that goes silent, then requests need a token, what needs a pool goes upstream, and requests end at their deadline', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'quorate-'))
    ends.push(async () => rmSync(folder, { recursive: true, force: true }))
    const server = await startPostgresql()
    ends.push(() => server.remove())
    const node = await startNode(folder, ['--min-gas-price=0', `--replicate-to=postgresql?url=${server.url}`])
    ends.push(() => node.stop())
    const genesis = JSON.stringify(JSON.parse(readFileSync(join(folder, 'genesis.json'), 'utf8')))
    const upstream = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: async request => {
        const [{ pathname }, body] = [new URL(request.url), await request.text()]
        return pathname === '/login'
          ? Response.json({ token: body })
          : Response.json({ result: [JSON.parse(body).method, request.headers.get('authorization')] })
      },
    })
    ends.push(() => upstream.stop(true))
    const keys = await generateKeyPair('ES256', { extractable: true })
    const worker = await startWorker({
      environment: 'postgresql',
      variables: {
        ...COMMON,
        GENESIS: genesis,
        TIMEOUT_MS: '1500',
        JWT_PUBLIC_KEY: await exportSPKI(keys.publicKey),
        JWT_ALGORITHM: 'ES256',
        UPSTREAM: `http://127.0.0.1:${upstream.port}`,
      },
      processVariables: {
        CLOUDFLARE_HYPERDRIVE_LOCAL_CONNECTION_STRING_HYPERDRIVE: server.url.replace(
          'quorate@',
          'quorate:none@',
        ),
      },
    })
    ends.push(() => worker.stop())
    const token = await new SignJWT({ permissions: ['*:*'] })
      .setProtectedHeader({ alg: 'ES256' })
      .setExpirationTime('1h')
      .sign(keys.privateKey)
    const post = (body: object): Promise<Response> =>
      fetch(worker.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...body }),
      })
    const block = { method: 'eth_getBlockByNumber', params: ['0x0', false] }
    expect((await fetch(worker.url, { method: 'POST', body: '{}' })).status).toBe(401)
    await until(async () => (await post(block)).status === 200, { what: 'an answer' })
    const sent = await post({ method: 'eth_sendRawTransaction', params: ['0x00'] })
    expect(await sent.json()).toMatchObject({ result: ['eth_sendRawTransaction', `Bearer ${token}`] })
    const credentials = '{"username":"alice","password":"secret"}'
    const login = await fetch(`${worker.url}/login`, { method: 'POST', body: credentials })
    expect(await login.json()).toEqual({ token: credentials })
    server.suspend()
    // The first request made the timers; the later ones must have their own.
    for (let round = 0; round < 3; round++)
      expect(
        (await post({ method: 'eth_getBalance', params: [`0x${'0'.repeat(39)}${round}`, 'latest'] })).status,
      ).toBe(408)
    server.resume()
    await until(async () => (await post(block)).status === 200, { what: 'recovery' })
  })
})
