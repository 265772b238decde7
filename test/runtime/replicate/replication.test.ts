import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { Redis } from 'ioredis'
import type { ReplicaStatus } from '../../../runtime/replicate/replication.ts'
import { replicatedChain, startReplication } from '../../../runtime/replicate/replication.ts'
import { type SharedStore, sharedStoreOf } from '../../../runtime/drivers/shared.ts'
import { transactionOf } from '../../../core/block/codec/transaction.ts'
import { HistoryPruned } from '../../../core/store/historyPruned.ts'
import { rejection } from '../../support/rejection.ts'
import { logOf } from '../../../runtime/logging/log.ts'
import { readReplica, sharedMemory } from '../../support/stores/replica.ts'
import { type SampleChain, sampleChain } from '../../support/chains/sampleChain.ts'
import { HAS_POSTGRESQL, startPostgresql } from '../../support/servers/postgresql.ts'
import { HAS_REDIS, startRedis } from '../../support/servers/redis.ts'
import type { TestServer } from '../../support/servers/serverProcess.ts'
import { expectChain } from '../../support/stores/storeCheck.ts'
import { storeChain } from '../../support/stores/storedChain.ts'
import { until } from '../../support/until.ts'

setDefaultTimeout(120_000)

const sample = sampleChain({
  seed: 81,
  blocks: 300,
  accounts: 6,
  slots: 2,
  changesMax: 3,
  transactionsMax: 3,
})

const ends: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

const newServer = async (start: () => Promise<TestServer>): Promise<TestServer> => {
  const server = await start()
  ends.push(() => server.remove())
  return server
}

const newChain = async (number: number) => {
  const stored = await storeChain(sample, number)
  ends.push(() => stored.close())
  return stored
}

const replicate = (chain: Parameters<typeof replicatedChain>[0], storage: string) => {
  const replication = startReplication({
    chain: replicatedChain(chain),
    target: sharedStoreOf(storage),
    log: logOf('replica'),
  })
  ends.push(() => replication.stop())
  return replication
}

const isWhole = ({ blocks, reason }: ReplicaStatus): boolean => blocks === 0 && reason === undefined

/** Holds everything that a reader of the store says against the chain. */
const expectReplica = async (storage: string, head: number): Promise<void> => {
  const kv = await sharedStoreOf(storage).open()
  try {
    const store = await readReplica(kv)
    if (store === undefined) throw new Error('the replica has no block')
    await expectChain(store, sample, head)
  } finally {
    await kv.close()
  }
}

const SERVERS: readonly (readonly [string, boolean, () => Promise<TestServer>])[] = [
  ['redis', HAS_REDIS, () => startRedis()],
  ['postgresql', HAS_POSTGRESQL, startPostgresql],
]

describe.each(SERVERS)('a replica in %s', (name, isInstalled, start) => {
  const storageOf = ({ url }: TestServer): string => `${name}?url=${encodeURIComponent(url)}`

  test.skipIf(!isInstalled)(
    'given a chain that grows, then the replica is filled, follows, and goes on after a stop',
    async () => {
      const server = await newServer(start)
      const { chain, growTo } = await newChain(150)
      const first = replicate(chain, storageOf(server))
      await until(() => isWhole(first.status()), { what: 'first fill' })
      await growTo(170)
      await until(() => isWhole(first.status()), { what: 'following' })
      await expectReplica(storageOf(server), 170)
      await first.stop()
      await growTo(240)
      const second = replicate(chain, storageOf(server))
      await until(() => isWhole(second.status()), { what: 'going on' })
      await expectReplica(storageOf(server), 240)
    },
  )

  test.skipIf(!isInstalled)(
    'given a server that is silent, then blocks go on, and the replica catches up afterwards',
    async () => {
      const server = await newServer(start)
      const { chain, growTo } = await newChain(20)
      const replication = replicate(chain, storageOf(server))
      await until(() => isWhole(replication.status()), { what: 'first fill' })
      server.suspend()
      await growTo(120)
      expect(replication.status().blocks).toBe(100)
      expect(replication.status().target).not.toContain('://')
      // Both servers end their requests alike, so that one is enough.
      if (name === 'postgresql')
        await until(() => replication.status().reason?.startsWith('no answer from the store for '))
      server.resume()
      await until(() => isWhole(replication.status()), { what: 'catching up' })
      await expectReplica(storageOf(server), 120)
    },
  )

  test.skipIf(!isInstalled)(
    'given two nodes with one target, then the first one is fenced and says so',
    async () => {
      const server = await newServer(start)
      const { chain, growTo } = await newChain(20)
      const first = replicate(chain, storageOf(server))
      await until(() => isWhole(first.status()), { what: 'first fill' })
      const second = replicate(chain, storageOf(server))
      await until(() => isWhole(second.status()), { what: 'second node' })
      await growTo(30)
      await until(() => first.status().reason !== undefined, { what: 'fence' })
      expect(first.status().reason).toContain('another writer has the replica')
      await growTo(60)
      await until(() => isWhole(second.status()), { what: 'second node follows' })
      await expectReplica(storageOf(server), 60)
    },
  )
})

describe.skipIf(!HAS_REDIS)('a replica in a Redis server in memory', () => {
  test('given a server that is killed and comes back empty, then it is filled again', async () => {
    const server = await newServer(() => startRedis())
    const storage = `redis?url=${server.url}`
    const { chain, growTo } = await newChain(100)
    const replication = replicate(chain, storage)
    await until(() => isWhole(replication.status()), { what: 'first fill' })
    await server.kill()
    await growTo(130)
    await server.start()
    await until(() => isWhole(replication.status()), { what: 'second fill' })
    await expectReplica(storage, 130)
  })

  test('given a server that is full, then the reason is logged, and the replica continues once the server accepts it', async () => {
    const server = await newServer(() => startRedis({ words: ['--maxmemory', '1mb'] }))
    const storage = `redis?url=${server.url}`
    const { chain, growTo } = await newChain(200)
    const replication = replicate(chain, storage)
    await until(() => replication.status().reason !== undefined, { what: 'a full server' })
    expect(replication.status().reason).toContain('OOM')
    await growTo(220)
    const client = new Redis(server.url)
    await client.config('SET', 'maxmemory', '0')
    client.disconnect()
    await until(() => isWhole(replication.status()), { what: 'room' })
    await expectReplica(storage, 220)
  })

  test('given a server that takes two seconds, then the replica catches up in batches', async () => {
    const server = await newServer(() => startRedis())
    const storage = `redis?url=${server.url}`
    const { chain, growTo } = await newChain(10)
    const replication = replicate(chain, storage)
    await until(() => isWhole(replication.status()), { what: 'first fill' })
    const client = new Redis(server.url)
    await client.call('CLIENT', 'PAUSE', '2000', 'ALL')
    await growTo(140)
    expect(replication.status().blocks).toBeGreaterThan(0)
    client.disconnect()
    await until(() => isWhole(replication.status()), { what: 'catching up' })
    await expectReplica(storage, 140)
  })

  test('given the store of another chain, then it stays unchanged, and the reason is reported', async () => {
    const server = await newServer(() => startRedis())
    const storage = `redis?url=${server.url}`
    const other = sampleChain({
      seed: 82,
      blocks: 5,
      accounts: 2,
      slots: 1,
      changesMax: 2,
      transactionsMax: 1,
    })
    const otherChain = await storeChain(other, 4)
    ends.push(() => otherChain.close())
    const filled = replicate(otherChain.chain, storage)
    await until(() => isWhole(filled.status()), { what: 'the other chain' })
    await filled.stop()
    const { chain } = await newChain(20)
    const replication = replicate(chain, storage)
    await until(() => replication.status().reason !== undefined, { what: 'a reason' })
    expect(replication.status().reason).toContain('holds the chain of genesis block')
  })
})

/** The blocks of a chain in which each has one transaction, with so many bytes of data. */
const blocksOf = (sizes: readonly number[]): SampleChain => {
  const model = sample.commits.find(({ block }) => block.transactions.length > 0)
  if (model === undefined) throw new Error('the sample has no transaction')
  const commits = sample.commits.slice(0, sizes.length).map((commit, number) => ({
    ...commit,
    block: {
      ...commit.block,
      transactions: model.block.transactions
        .slice(0, 1)
        .map(fields =>
          transactionOf({ ...fields, nonce: BigInt(number), data: new Uint8Array(sizes[number] as number) }),
        ),
    },
    senders: model.senders.slice(0, 1),
    receipts: model.receipts.slice(0, 1),
  }))
  return { ...sample, commits }
}

/** A store in memory, and the blocks of each write to it. */
const watchedTarget = () => {
  const kv = sharedMemory()
  const batches: (readonly number[])[] = []
  const target: SharedStore = {
    name: 'a store in memory',
    consistency: 'transactional',
    open: async () => ({
      ...kv,
      setIf: async (condition, entries) => {
        const blocks = entries.flatMap(({ key }) =>
          key.startsWith('segment:') ? [Number(key.slice('segment:'.length))] : [],
        )
        if (blocks.length > 0) batches.push(blocks)
        return (await kv.setIf?.(condition, entries)) === true
      },
    }),
  }
  return { target, batches }
}

test('given blocks of megabytes, then a batch has at most 4 MB, and a block that is longer goes alone', async () => {
  const sizes = [0, 1.5, 1.5, 1.5, 5, 0.1, 1.5, 2.2, 0.5].map(megabytes => megabytes * 1024 * 1024)
  const { chain, close } = await storeChain(blocksOf(sizes), sizes.length - 1)
  ends.push(() => close())
  const { target, batches } = watchedTarget()
  const replication = startReplication({ chain: replicatedChain(chain), target, log: logOf('replica') })
  ends.push(() => replication.stop())
  await until(() => isWhole(replication.status()), { what: 'the fill' })
  expect(batches).toEqual([[0, 1, 2], [3], [4], [5, 6, 7], [8]])
})

test('given many small blocks, then a batch has 64', async () => {
  const { chain } = await newChain(150)
  const { target, batches } = watchedTarget()
  const replication = startReplication({ chain: replicatedChain(chain), target, log: logOf('replica') })
  ends.push(() => replication.stop())
  await until(() => isWhole(replication.status()), { what: 'the fill' })
  expect(batches.map(({ length }) => length)).toEqual([64, 64, 23])
})

describe('the target of a replication', () => {
  test.each([
    ['sqlite', 'cannot be shared'],
    ['memory', 'cannot be shared'],
    ['cloudflare-kv-http?accountId=x', 'values that never change only, and no head'],
    ['cloudflare-r2-binding', 'give s3?url=...'],
    ['d1', 'its head in a Durable Object or D1'],
    ['redis', 'needs url'],
    ['http?url=http://127.0.0.1', 'needs secret'],
    ['postgresql?url=postgres://127.0.0.1&bse=x', 'has no option bse'],
  ])('given %s, then it is refused with the reason', (storage, reason) => {
    expect(() => sharedStoreOf(storage)).toThrow(reason)
  })
})

test('given a chain that has removed the blocks which a replica lacks, when it is filled, then the reason says how it can be', async () => {
  const { chain } = await newChain(40)
  const pruned = {
    ...chain,
    store: { ...chain.store, recordBytes: () => Promise.reject(new HistoryPruned('block', 1, 20)) },
  }
  const reason = await rejection(replicatedChain(pruned).recordBytes(1n))
  expect((reason as Error).message).toBe(
    'the replica needs block 1, and this node keeps its blocks from 20 on (--prune-history): fill it from a node that keeps all blocks',
  )
})
