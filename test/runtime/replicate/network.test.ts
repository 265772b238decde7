import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { Client } from 'pg'
import { toHex } from '../../../core/bytes/hex.ts'
import { sharedStoreOf } from '../../../runtime/drivers/shared.ts'
import { type Cluster, createCluster } from '../../cluster/support/cluster.ts'
import { hashesOf, until, untilBlocks } from '../../cluster/support/waiting.ts'
import { startReader } from '../../support/readers/readerProcess.ts'
import { ask, differentAnswers, type Request } from '../../support/readers/readerRequests.ts'
import { readReplica } from '../../support/stores/replica.ts'
import { HAS_POSTGRESQL, startPostgresql } from '../../support/servers/postgresql.ts'
import { type Proxy, startProxy } from '../../support/servers/proxy.ts'
import { HAS_REDIS, startRedis } from '../../support/servers/redis.ts'
import type { TestServer } from '../../support/servers/serverProcess.ts'
import { clientsOf } from '../transactions.ts'

setDefaultTimeout(240_000)

const PHASE_BLOCKS = 6
const CHAIN_ID = 4242
const VALIDATORS = 4
const TARGET = `0x${'dd'.repeat(20)}` as const

/** A shared store, behind a proxy, that one of the validators fills. */
type Shared = {
  readonly name: 'redis' | 'postgresql'
  readonly server: TestServer
  readonly proxy: Proxy
  readonly storage: string
  /** Removes all that is stored. */
  readonly empty: () => Promise<void>
}

const withRedis = async (url: string, work: (client: Redis) => Promise<unknown>): Promise<void> => {
  const client = new Redis(url)
  try {
    await work(client)
  } finally {
    client.disconnect()
  }
}

const startShared = async (name: Shared['name']): Promise<Shared> => {
  const server = name === 'redis' ? await startRedis({ keeps: true }) : await startPostgresql()
  const url = new URL(server.url)
  const proxy = await startProxy(Number(url.port))
  url.port = `${proxy.port}`
  const empty = async (): Promise<void> => {
    if (name === 'redis') return withRedis(server.url, client => client.flushall())
    const client = new Client({ connectionString: server.url })
    await client.connect()
    await client.query('DROP TABLE quorate')
    await client.end()
  }
  return { name, server, proxy, storage: `${name}?url=${encodeURIComponent(String(url))}`, empty }
}

describe.skipIf(!HAS_REDIS || !HAS_POSTGRESQL)(
  'given four validators of which two fill shared stores',
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'quorate-replicas-'))
    const shared: Shared[] = []
    let cluster: Cluster
    const load = { isOn: true }
    let sending: Promise<void>
    let sent = 0

    /** Sends a transfer after the other through a validator that fills no store. */
    const send = async (): Promise<void> => {
      const { wallet, account, reader } = clientsOf(cluster.node(3).url, CHAIN_ID)
      let nonce = await reader.getTransactionCount({ address: account.address })
      const fees = { gas: 21_000n, maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n }
      for (; load.isOn; sent++) {
        await wallet.sendTransaction({ to: TARGET, value: 1n, nonce: nonce++, ...fees })
        await Bun.sleep(50)
      }
    }

    beforeAll(async () => {
      shared.push(await startShared('redis'), await startShared('postgresql'))
      cluster = await createCluster({
        folder,
        validators: VALIDATORS,
        nodes: VALIDATORS,
        qbft: { xblockperiodmilliseconds: 500, requesttimeoutseconds: 2 },
        args: ['--logging-format=PLAIN', '--min-gas-price=0'],
        argsOf: index => {
          const filled = shared[index - 1]
          return filled === undefined ? [] : [`--replicate-to=${filled.storage}`]
        },
      })
      await cluster.start(1, 2, 3, 4)
      await untilBlocks(cluster, 2)
      sending = send()
    })
    afterAll(async () => {
      load.isOn = false
      await sending?.catch(() => undefined)
      await cluster?.end()
      for (const { server, proxy } of shared) {
        await proxy.close()
        await server.remove()
      }
      rmSync(folder, { recursive: true, force: true })
    })

    type Lag = { readonly blocks: number; readonly seconds: number; readonly reason?: string }
    const lagOf = async (index: number): Promise<Lag> => {
      const response = await fetch(`${cluster.node(index).url}/readiness`)
      const { replicas } = (await response.json()) as { readonly replicas: readonly Lag[] }
      return replicas[0] as Lag
    }
    const untilCaughtUp = async (): Promise<void> => {
      for (const [index, { name }] of shared.entries())
        await until(`${name} with all blocks`, async () => {
          const { blocks, reason } = await lagOf(index + 1)
          return blocks <= 1 && (reason === undefined || reason === null)
        })
    }

    /** The rounds that the blocks since then needed, and the time of a block. */
    const blocksSince = async (first: number, startMs: number) => {
      const last = await cluster.head(3)
      const ms = (performance.now() - startMs) / (last - first)
      return { first, last, ms: Math.round(ms) }
    }

    const PHASES: readonly {
      readonly what: string
      readonly begin: (store: Shared) => Promise<unknown> | void
      readonly end: (store: Shared) => Promise<unknown> | void
    }[] = [
      { what: 'as they should be', begin: () => undefined, end: () => undefined },
      { what: 'stopped', begin: ({ server }) => server.kill(), end: ({ server }) => server.start() },
      { what: 'silent', begin: ({ server }) => server.suspend(), end: ({ server }) => server.resume() },
      {
        what: 'slow (2 s)',
        begin: ({ proxy }) => {
          proxy.delayMs = 2_000
        },
        end: ({ proxy }) => {
          proxy.delayMs = 0
        },
      },
      {
        what: 'full',
        begin: ({ name, server }) => {
          if (name === 'redis') return withRedis(server.url, client => client.config('SET', 'maxmemory', '1'))
        },
        end: ({ name, server }) => {
          if (name === 'redis') return withRedis(server.url, client => client.config('SET', 'maxmemory', '0'))
        },
      },
      {
        what: 'restarted empty',
        begin: async store => {
          await store.empty()
          await store.server.kill()
        },
        end: ({ server }) => server.start(),
      },
    ]

    test.each([...PHASES])(
      'when the stores are $what, then blocks go on as before, and the stores get all of them afterwards',
      async ({ what, begin, end }) => {
        const first = await cluster.head(3)
        const startMs = performance.now()
        for (const store of shared) await begin(store)
        await untilBlocks(cluster, PHASE_BLOCKS)
        const { last, ms } = await blocksSince(first, startMs)
        console.log(`stores ${what}: ${last - first} blocks, one each ${ms} ms`)
        expect((await hashesOf(cluster, last)).length).toBe(1)
        for (const store of shared) await end(store)
        await untilCaughtUp()
      },
    )

    test('then the stores have every block and state of the network, and a reader that proves all agrees', async () => {
      load.isOn = false
      await sending
      const head = await untilBlocks(cluster, 2)
      await untilCaughtUp()
      expect(sent).toBeGreaterThan(PHASE_BLOCKS)
      for (const [index, { storage, server, name }] of shared.entries()) {
        const kv = await sharedStoreOf(`${name}?url=${encodeURIComponent(server.url)}`).open()
        const store = await readReplica(kv)
        for (let number = 0; number <= head; number++) {
          const record = await store?.record(BigInt(number))
          expect(record === undefined ? undefined : toHex(record.hash)).toBe(
            (await cluster.block(3, number))?.hash,
          )
        }
        await kv.close()
        const reader = await startReader([
          `--from=${storage}`,
          `--genesis-file=${join(folder, 'genesis.json')}`,
          '--min-gas-price=0',
          '--verify=state',
        ])
        try {
          const at = `0x${head.toString(16)}`
          const requests: Request[] = [
            ['eth_getBalance', TARGET, at],
            ['eth_getBalance', TARGET, `0x${(head >> 1).toString(16)}`],
            ['eth_getProof', TARGET, [], at],
            ['eth_getBlockReceipts', at],
            ['eth_getBlockByNumber', at, true],
          ]
          await until('the reader at the head', async () => {
            const { result } = JSON.parse(await ask(reader.url, ['eth_blockNumber'])) as {
              readonly result: string
            }
            return Number(result) >= head
          })
          // With the node that fills the store: the seals of a block need not be the same on two nodes.
          expect(await differentAnswers(cluster.node(index + 1).url, reader.url, requests)).toEqual([])
        } finally {
          await reader.stop()
        }
      }
    })
  },
)
