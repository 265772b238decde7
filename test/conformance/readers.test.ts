import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { genesisHeadOf } from '../../core/chain/opening/openGenesis.ts'
import type { Genesis } from '../../core/genesis/genesis.ts'
import { parseGenesisText } from '../../core/genesis/parse/parse.ts'
import { createRpcApp, HTTP_DEFAULTS } from '../../handlers/http/app.ts'
import { NODE_OPTIONS, type NodeOptions } from '../../runtime/cli/nodeOptions.ts'
import { type SharedStore, sharedStoreOf } from '../../runtime/drivers/shared.ts'
import { logOf } from '../../runtime/logging/log.ts'
import { rpcOptionsOf } from '../../runtime/node/servers/rpcServer.ts'
import { openReader } from '../../runtime/read/openReader.ts'
import { LATER_TRANSACTIONS, openLaterBlocks } from './laterBlocks.ts'
import {
  isInstalled,
  type NodeProcess,
  runCommand,
  type RuntimeName,
  startNode,
} from '../runtime/nodeProcess.ts'
import { startReader } from '../support/readers/readerProcess.ts'
import { HAS_POSTGRESQL, startPostgresql } from '../support/servers/postgresql.ts'
import { HAS_REDIS, startRedis } from '../support/servers/redis.ts'
import { S3_KEY, startS3 } from '../support/servers/s3.ts'
import { startWorker } from '../support/servers/worker.ts'
import { sharedPath } from '../support/published/shared.ts'
import { until } from '../support/until.ts'
import { type Suite, SUITES } from './suites.ts'

// A chain is imported, copied into several stores, and some hundred requests are made of each reader.
setDefaultTimeout(180_000)

const APIS = 'ETH,NET,WEB3,DEBUG,TRACE,TXPOOL'
const SECRET = 'a secret of this deployment'
/** Cases of a store that needs no more: enough for each kind of value. */
const SUBSET = 30

/** `READERS=all`: each suite through every store. Otherwise the second one goes through two stores, and none on Deno. */
const IS_WHOLE = process.env['READERS'] === 'all'

const root = sharedPath('conformance')
if (root === undefined) console.log('published JSON-RPC cases through readers: skipped, ../shared is absent')

/** What a reader has no pool for: it names another error, or another node answers. */
const OF_A_POOL = /^(?:eth_send|eth_fillTransaction$|eth_new|eth_getFilter|eth_uninstallFilter$|txpool_)/
/** What differs from process to process: its name, and its peers. */
const OF_A_PROCESS = /^(?:web3_clientVersion|net_peerCount|net_services|net_listening|admin_)/
/** State, which stores without it do not serve. */
const OF_BLOCKS =
  /^(?:eth_getBlock|eth_getTransactionBy|eth_getTransactionReceipt|eth_getLogs|eth_getUncle|eth_blockNumber|debug_getRaw|net_version|eth_chainId)/

const filesBelow = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted()

const methodOf = (body: string): string => {
  const request = JSON.parse(body) as { readonly method?: unknown }
  return typeof request.method === 'string' ? request.method : ''
}

/** The bodies of the requests of a suite, each once. */
const bodiesOf = ({ cases }: Suite): readonly string[] => {
  const folder = join(root as string, cases)
  const bodies = filesBelow(folder).flatMap(name => {
    const text =
      name.endsWith('.io') || name.endsWith('.json') ? readFileSync(join(folder, name), 'utf8') : ''
    if (name.endsWith('.io'))
      return text.split('\n').flatMap(line => (line.startsWith('>>') ? [line.slice(2).trim()] : []))
    if (text === '') return []
    const { request } = JSON.parse(text) as { readonly request?: unknown }
    return request === undefined ? [] : [JSON.stringify(request)]
  })
  return [...new Set(bodies)].filter(
    body => !OF_A_POOL.test(methodOf(body)) && !OF_A_PROCESS.test(methodOf(body)),
  )
}

const askAll = async (url: string, bodies: readonly string[]): Promise<readonly string[]> => {
  const answers: string[] = []
  for (const body of bodies) {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    answers.push(`${response.status} ${await response.text()}`)
  }
  return answers
}

/** A reader in this process that stays at the head that it found. */
const openPinnedReader = async (store: SharedStore, genesis: Genesis, words: readonly string[]) => {
  const given = new Map(words.map(word => word.slice(2).split('=') as [string, string]))
  const options = Object.fromEntries(
    Object.entries(NODE_OPTIONS).map(([key, { name, fallback, parse }]) => {
      const text = given.get(name)
      return [key, text === undefined ? fallback : parse(text)]
    }),
  ) as NodeOptions
  const kv = await store.open()
  const rpc = rpcOptionsOf(options, genesis.configuration.chainId, false)
  const reader = await openReader(
    {
      genesis,
      kv,
      verification: 'none',
      trustedBlock: undefined,
      maxHeadAge: 0,
      upstream: undefined,
      rpc: { ...rpc, timeoutMs: 120_000 },
      log: logOf('read'),
    },
    () => false,
  )
  if (reader === undefined) throw new Error('the reader was stopped')
  // Nothing reads the head any more.
  reader.stop()
  const app = createRpcApp(reader.context, HTTP_DEFAULTS)
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 120,
    fetch: request => app.fetch(request, () => 'test'),
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    close: async () => {
      await server.stop(true)
      await kv.close()
    },
  }
}

/** The requests are repeated until so many were written. */
const WRITTEN_BLOCKS_MIN = 4

type Filled = {
  /** As an option of a node names it. */
  readonly storage: string
  /** Of a Worker, which answers by itself as well. */
  readonly url?: string
  readonly remove: () => Promise<unknown>
}

const startWorkerStore = async (
  environment: string,
  genesis: string,
  options: readonly string[],
): Promise<Filled> => {
  const minGasPrice = options.find(option => option.startsWith('--min-gas-price='))?.split('=')[1]
  const worker = await startWorker({
    environment,
    variables: {
      GENESIS: JSON.stringify(JSON.parse(readFileSync(genesis, 'utf8'))),
      STORE_SECRET: SECRET,
      VERIFY: 'none',
      TIMEOUT_MS: '120000',
      APIS,
      // As a node has it, which bounds calls by time as well.
      GAS_CAP: '0',
      ...(minGasPrice === undefined ? {} : { MIN_GAS_PRICE: minGasPrice }),
    },
  })
  const storage = `http?url=${encodeURIComponent(worker.url)}&secret=${encodeURIComponent(SECRET)}`
  return { storage, url: worker.url, remove: () => worker.stop() }
}

const startServerStore = async (name: 'redis' | 'postgresql'): Promise<Filled> => {
  const server = await (name === 'redis' ? startRedis() : startPostgresql())
  return { storage: `${name}?url=${encodeURIComponent(server.url)}`, remove: () => server.remove() }
}

const startBucket = async (): Promise<Filled> => {
  const bucket = await startS3()
  return {
    storage: `s3?url=${encodeURIComponent(bucket.url)}&accessKeyId=${S3_KEY}&secretAccessKey=${S3_KEY}`,
    remove: () => bucket.remove(),
  }
}

for (const [order, suite] of SUITES.entries()) {
  const isFirst = order === 0 || IS_WHOLE
  describe.skipIf(root === undefined || !HAS_REDIS || !HAS_POSTGRESQL)(
    `given readers of the chain of the ${suite.name} cases`,
    () => {
      const folder = mkdtempSync(join(tmpdir(), 'quorate-'))
      const filled = new Map<string, Filled>()
      const ends: (() => Promise<unknown>)[] = []
      let node: NodeProcess
      let bodies: readonly string[]
      let expected: readonly string[]

      beforeAll(async () => {
        const genesis = join(root as string, suite.genesis)
        const blocks = join(root as string, suite.blocks)
        const imported = await runCommand([
          'blocks',
          'import',
          `--from=${blocks}`,
          `--data-path=${folder}`,
          `--genesis-file=${genesis}`,
        ])
        if (imported.code !== 0) throw new Error(imported.error)
        const starts: readonly (readonly [string, () => Promise<Filled>])[] = [
          ['PostgreSQL', () => startServerStore('postgresql')],
          ['Durable Object with R2', () => startWorkerStore('', genesis, suite.options)],
          ['Redis', () => startServerStore('redis')],
          ['S3', () => startBucket()],
          ['D1 with KV', () => startWorkerStore('d1', genesis, suite.options)],
        ]
        for (const [name, start] of isFirst ? starts : starts.slice(0, 2)) {
          const store = await start()
          filled.set(name, store)
          ends.push(store.remove)
        }
        node = await startNode(folder, [
          `--genesis-file=${genesis}`,
          '--rpc-http-enabled',
          `--rpc-http-api=${APIS}`,
          ...suite.options,
          ...[...filled.values()].map(({ storage }) => `--replicate-to=${storage}`),
        ])
        ends.push(() => node.stop())
        await until(async () => {
          const answer = (await (await fetch(`${node.url}/readiness`)).json()) as {
            readonly replicas: readonly { readonly blocks: number }[]
          }
          return answer.replicas.every(replica => replica.blocks === 0)
        })
        bodies = bodiesOf(suite)
        expected = await askAll(node.url, bodies)
      })
      afterAll(async () => {
        for (const end of ends.toReversed()) await end()
        rmSync(folder, { recursive: true, force: true })
      })

      const expectSame = async (
        url: string,
        chosen: (body: string, index: number) => boolean,
      ): Promise<void> => {
        const indexes = bodies.flatMap((body, index) => (chosen(body, index) ? [index] : []))
        const found = await askAll(
          url,
          indexes.map(index => bodies[index] as string),
        )
        const differences = indexes.flatMap((index, at) =>
          found[at] === expected[index]
            ? []
            : [`${bodies[index]}\n  ${expected[index]?.slice(0, 300)}\n  ${found[at]?.slice(0, 300)}`],
        )
        console.log(
          `${suite.name}: ${indexes.length - differences.length} of ${indexes.length} answers are the node's`,
        )
        expect(differences).toEqual([])
      }

      const expectReader = async (
        store: string,
        runtime: RuntimeName,
        chosen: (body: string, index: number) => boolean,
      ): Promise<void> => {
        const reader = await startReader(
          [
            `--from=${filled.get(store)?.storage}`,
            `--genesis-file=${join(root as string, suite.genesis)}`,
            '--verify=none',
            // A busy machine takes its time for the simulation of a hundred blocks.
            '--Xhttp-timeout-seconds=120',
            `--rpc-http-api=${APIS}`,
            ...suite.options.filter(option => !option.startsWith('--tx-pool')),
          ],
          runtime,
        )
        try {
          await expectSame(reader.url, chosen)
        } finally {
          await reader.stop()
        }
      }

      const all = (): boolean => true
      const serverReaders = [
        ['PostgreSQL', 'node'],
        ['Redis', 'bun'],
      ] as const
      test.each(isFirst ? serverReaders : serverReaders.slice(0, 1))(
        'then one of %s on %s answers every case as the node does',
        async (store, runtime) => {
          if (isInstalled(runtime)) await expectReader(store, runtime, all)
        },
      )

      // Each of its reads is a request to a Worker in this machine's simulation.
      test.skipIf(!isFirst)(
        'then one of a Durable Object with R2 on Deno answers every third case as the node does',
        async () => {
          if (isInstalled('deno'))
            await expectReader('Durable Object with R2', 'deno', (_, index) => index % 3 === 0)
        },
      )

      test('then the Worker over a Durable Object with R2 answers every case as the node does', () =>
        expectSame(filled.get('Durable Object with R2')?.url as string, all))

      test.skipIf(!isFirst)('then the Worker over D1 with KV answers thirty cases as the node does', () => {
        const step = Math.max(1, Math.floor(bodies.length / SUBSET))
        return expectSame(filled.get('D1 with KV')?.url as string, (_, index) => index % step === 0)
      })

      test.each(IS_WHOLE ? ['Redis', 'PostgreSQL'] : [order === 0 ? 'Redis' : 'PostgreSQL'])(
        'when blocks of a thousand transactions are written to %s, then a request at a pinned head is answered as before',
        async name => {
          const store = sharedStoreOf(filled.get(name)?.storage as string)
          const genesis = parseGenesisText(readFileSync(join(root as string, suite.genesis), 'utf8'))
          const pinned = await openPinnedReader(store, genesis, [`--rpc-http-api=${APIS}`, ...suite.options])
          const writing = await store.open()
          const writes = { count: 0, isOver: false }
          try {
            const writeBlock = await openLaterBlocks(
              writing,
              genesisHeadOf(genesis).hash,
              genesis.alloc.map(({ address }) => address),
            )
            const blocks = (async (): Promise<void> => {
              for (; !writes.isOver; writes.count++) await writeBlock()
            })()
            do await expectSame(pinned.url, all)
            while (writes.count < WRITTEN_BLOCKS_MIN)
            writes.isOver = true
            await blocks
            console.log(
              `${suite.name}: ${writes.count} blocks of ${LATER_TRANSACTIONS} were written to ${name} meanwhile`,
            )
          } finally {
            writes.isOver = true
            await writing.close()
            await pinned.close()
          }
        },
      )

      test.skipIf(!isFirst)('then a reader of S3 answers thirty cases about blocks as the node does', () => {
        let left = SUBSET
        return expectReader('S3', 'bun', body => OF_BLOCKS.test(methodOf(body)) && left-- > 0)
      })
    },
  )
}
