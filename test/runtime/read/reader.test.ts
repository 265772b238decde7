import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ReaderProcess, startReader } from '../../support/readers/readerProcess.ts'
import {
  ask,
  differentAnswers,
  makeTokenChain,
  readerRequests,
  type TokenChain,
} from '../../support/readers/readerRequests.ts'
import { faultsOf, hostileBodies, statusesOfQueries } from '../../support/readers/hostileRequests.ts'
import { settledMemoryOf } from '../../cluster/support/memory.ts'
import { HAS_POSTGRESQL, startPostgresql } from '../../support/servers/postgresql.ts'
import { HAS_REDIS, startRedis } from '../../support/servers/redis.ts'
import type { TestServer } from '../../support/servers/serverProcess.ts'
import { isInstalled, type NodeProcess, PROCESS_TEST_TIMEOUT_MS, startNode } from '../nodeProcess.ts'
import { until } from '../../support/until.ts'

setDefaultTimeout(2 * PROCESS_TEST_TIMEOUT_MS)

/** The growth of a further round of hostile requests. */
const GROWTH_BYTES_MAX = 32 * 1024 * 1024
/** A leak grows in each round; heaps and caches stop growing. */
const ROUNDS_MAX = 4

const APIS = '--rpc-http-api=ETH,NET,WEB3,QBFT,DEBUG,TXPOOL'

const numberOf = async (url: string): Promise<number> =>
  Number((JSON.parse(await ask(url, ['eth_blockNumber'])) as { result: string }).result)

describe.skipIf(!HAS_REDIS)('readers of a store that a node fills', () => {
  const folder = mkdtempSync(join(tmpdir(), 'quorate-read-'))
  const ends: (() => Promise<unknown>)[] = []
  const servers: TestServer[] = []
  const stores: string[] = []
  let node: NodeProcess
  let chain: TokenChain
  /** A reader of Redis with every service, and one of the last store, which has an upstream node. */
  let first: ReaderProcess
  let last: ReaderProcess

  beforeAll(async () => {
    servers.push(await startRedis())
    stores.push(`redis?url=${servers[0]?.url}`)
    if (HAS_POSTGRESQL) {
      servers.push(await startPostgresql())
      stores.push(`postgresql?url=${servers[1]?.url}`)
    }
    node = await startNode(folder, [
      '--min-gas-price=0',
      APIS,
      '--rpc-http-authentication-enabled=false',
      `--replicate-to=${stores.join(',')}`,
    ])
    chain = await makeTokenChain(node.url, 70)
    first = await openReader(stores[0] as string, [
      '--rpc-ws-enabled',
      '--rpc-ws-port=0',
      '--graphql-http-enabled',
      '--graphql-http-port=0',
    ])
    last = await openReader(stores.at(-1) as string, [`--upstream=${node.url}`])
  })
  afterAll(async () => {
    for (const end of ends) await end()
    await node?.stop()
    for (const server of servers) await server.remove()
    rmSync(folder, { recursive: true, force: true })
  })

  const openReader = async (
    store: string,
    args: readonly string[] = [],
    runtime: 'bun' | 'node' | 'deno' = 'bun',
  ) => {
    const reader = await startReader(
      [
        `--from=${store}`,
        `--genesis-file=${join(folder, 'genesis.json')}`,
        '--min-gas-price=0',
        APIS,
        ...args,
      ],
      runtime,
    )
    ends.push(() => reader.stop())
    return reader
  }
  const waitForHead = async (reader: ReaderProcess): Promise<number> => {
    const head = await numberOf(node.url)
    await until(async () => (await numberOf(reader.url)) >= head, { what: 'the reader at the head' })
    return head
  }

  test('given a reader of each store, then its answers are those of the node to the byte', async () => {
    for (const reader of [first, last]) {
      const head = await waitForHead(reader)
      expect(await differentAnswers(node.url, reader.url, readerRequests(chain, head))).toEqual([])
    }
  })

  test.each(['node', 'deno'] as const)(
    'given a reader on %s, then its answers are those of the node',
    async runtime => {
      if (!isInstalled(runtime)) return
      const reader = await openReader(stores.at(-1) as string, ['--verify=head'], runtime)
      const head = await waitForHead(reader)
      expect(await differentAnswers(node.url, reader.url, readerRequests(chain, head))).toEqual([])
    },
  )

  test('given a reader, then each answer names its block, and methods of a pool are not enabled', async () => {
    const head = await waitForHead(first)
    const response = await fetch(first.url, {
      method: 'POST',
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_blockNumber' }),
    })
    const block = JSON.parse(
      await ask(node.url, ['eth_getBlockByNumber', `0x${head.toString(16)}`, false]),
    ) as {
      result: { hash: string }
    }
    expect(response.headers.get('x-quorate-block')).toBe(`${head}:${block.result.hash}`)
    expect(response.headers.get('x-quorate-verified')).toBe('head')
    for (const method of ['eth_sendRawTransaction', 'eth_newBlockFilter', 'txpool_besuStatistics'])
      expect(JSON.parse(await ask(first.url, [method, '0x00']))).toMatchObject({
        error: { code: -32604, data: expect.stringContaining('--upstream=') as string },
      })
  })

  test('given an upstream node, then it answers what needs a pool', async () => {
    const refused = await ask(node.url, ['eth_sendRawTransaction', '0x00'])
    expect(await ask(last.url, ['eth_sendRawTransaction', '0x00'])).toBe(refused)
    const filter = JSON.parse(await ask(last.url, ['eth_newBlockFilter'])) as { result: string }
    const changes = await ask(node.url, ['eth_getFilterChanges', filter.result])
    expect(JSON.parse(changes)).toMatchObject({ result: [] })
  })

  test('given the corpus of the fuzzers, then there is no fault of the server, and memory does not grow', async () => {
    const reader = await openReader(stores.at(-1) as string, [
      '--graphql-http-enabled',
      '--graphql-http-port=0',
      '--rpc-gas-cap=3000000',
    ])
    const head = await waitForHead(reader)
    const bodies = hostileBodies(chain)
    expect(await faultsOf(reader.url, bodies)).toEqual([])
    for (const status of await statusesOfQueries(`${reader.graphqlUrl}/graphql`))
      expect(status).toBeLessThan(500)
    let growth = Infinity
    for (let round = 0; round < ROUNDS_MAX && growth >= GROWTH_BYTES_MAX; round++) {
      const before = await settledMemoryOf(reader.pid)
      expect(await faultsOf(reader.url, bodies)).toEqual([])
      growth = (await settledMemoryOf(reader.pid)) - before
    }
    expect(growth).toBeLessThan(GROWTH_BYTES_MAX)
    expect(await differentAnswers(node.url, reader.url, readerRequests(chain, head).slice(0, 10))).toEqual([])
    expect(reader.output()).not.toContain('Internal error')
  })

  test('given a subscriber of a reader, then new heads and logs come as blocks are made', async () => {
    const socket = new WebSocket(first.wsUrl as string)
    const messages: string[] = []
    socket.addEventListener('message', ({ data }) => void messages.push(String(data)))
    await new Promise(resolve => {
      socket.addEventListener('open', resolve)
    })
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] }))
    socket.send(
      JSON.stringify({
        jsonrpc: '2.0',
        id: 2,
        method: 'eth_subscribe',
        params: ['logs', { address: chain.token }],
      }),
    )
    await until(async () => messages.length === 2, { what: 'both subscriptions' })
    const before = await numberOf(node.url)
    const more = await makeTokenChain(node.url, 2)
    await until(async () => messages.filter(text => text.includes('"number"')).length >= 3, { what: 'heads' })
    const heads = messages.flatMap(text => {
      const head = (JSON.parse(text) as { params?: { result: { number?: string } } }).params?.result.number
      return head === undefined ? [] : [Number(head)]
    })
    expect(heads).toEqual(heads.map((_, index) => before + 1 + index))
    expect(more.hashes.length).toBe(3)
    socket.close()
  })

  test('given GraphQL, then it answers of one block and says which', async () => {
    const head = await waitForHead(first)
    const response = await fetch(`${first.graphqlUrl}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        query: `{ block { number account(address: "${chain.account}") { transactionCount } } }`,
      }),
    })
    expect(response.headers.get('x-quorate-block')).toStartWith(`${head}:0x`)
    expect(await response.json()).toMatchObject({ data: { block: { number: `0x${head.toString(16)}` } } })
  })

  test('given a store that is gone, then the reader keeps its head, is not ready, and recovers', async () => {
    const server = await startRedis({ keeps: true })
    ends.push(() => server.remove())
    const other = mkdtempSync(join(tmpdir(), 'quorate-read-'))
    const filling = await startNode(other, ['--min-gas-price=0', `--replicate-to=redis?url=${server.url}`])
    await makeTokenChain(filling.url, 3)
    const reader = await startReader([
      `--from=redis?url=${server.url}`,
      `--genesis-file=${join(other, 'genesis.json')}`,
      '--max-head-age=31536000',
    ])
    ends.push(() => reader.stop())
    const head = await numberOf(filling.url)
    await until(async () => (await numberOf(reader.url)) === head, { what: 'the head' })
    const ready = async () => (await fetch(`${reader.url}/readiness`)).status
    expect(await ready()).toBe(200)
    await server.kill()
    await until(async () => (await ready()) === 503, { what: 'a reason' })
    expect(await (await fetch(`${reader.url}/readiness`)).text()).toContain('"reasons"')
    expect(await numberOf(reader.url)).toBe(head)
    const behind = await makeTokenChain(filling.url, 2)
    const readiness = (await (await fetch(`${filling.url}/readiness`)).json()) as {
      replicas: readonly { blocks: number }[]
    }
    expect(readiness.replicas[0]?.blocks).toBeGreaterThan(0)
    await server.start()
    await until(async () => (await ready()) === 200 && (await numberOf(reader.url)) > head, {
      what: 'recovery',
    })
    expect(behind.hashes.length).toBe(3)
    await filling.stop()
    rmSync(other, { recursive: true, force: true })
  })
})
