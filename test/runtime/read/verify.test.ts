import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fromHex } from '../../../core/bytes/hex.ts'
import { keccak256 } from '../../../core/crypto/crypto.ts'
import { codeKey } from '../../../core/store/keys.ts'
import { checkedValue, withChecksum } from '../../../core/store/checksum.ts'
import { accountCodec, slotCodec } from '../../../core/store/codec/stateValues.ts'
import { createWriter } from '../../../core/store/codec/writer.ts'
import type { KeyValueStore } from '../../../core/store/keyvalue/keyvalue.ts'
import {
  decodeReplicaHead,
  encodeReplicaHead,
  type ReplicaHead,
} from '../../../core/store/replica/replicaHead.ts'
import { commitOfSegment } from '../../../core/store/recovery/recover.ts'
import { encodeSegment } from '../../../core/store/segments/segment.ts'
import { historyOfRecord, valueOfRecord } from '../../../core/store/views/stateRecord.ts'
import { writeHistory } from '../../../core/store/views/valueHistory.ts'
import type { BlockRecord } from '../../../core/store/store.ts'
import { encodeChainHead } from '../../../core/store/codec/chainHead.ts'
import { sharedStoreOf } from '../../../runtime/drivers/shared.ts'
import { type ReaderProcess, spawnReader, startReader } from '../../support/readers/readerProcess.ts'
import { parseGenesisText } from '../../../core/genesis/parse/parse.ts'
import {
  entriesOf,
  forgedStore,
  kindOf,
  LIES,
  type Lie,
  openReaderHere,
  type ReaderHere,
  type ReaderHereOptions,
} from '../../support/readers/lyingStore.ts'
import {
  ask,
  differentAnswers,
  makeTokenChain,
  readerRequests,
  type Request,
  type TokenChain,
} from '../../support/readers/readerRequests.ts'
import { sharedMemory } from '../../support/stores/replica.ts'
import { HAS_REDIS, startRedis } from '../../support/servers/redis.ts'
import type { TestServer } from '../../support/servers/serverProcess.ts'
import { type NodeProcess, startNode } from '../nodeProcess.ts'
import { until } from '../../support/until.ts'

setDefaultTimeout(120_000)

const APIS = '--rpc-http-api=ETH,NET,WEB3,QBFT,DEBUG'

describe.skipIf(!HAS_REDIS)('a reader that proves everything, over a store that lies', () => {
  const folder = mkdtempSync(join(tmpdir(), 'quorate-verify-'))
  let server: TestServer
  let node: NodeProcess
  let kv: KeyValueStore
  let chain: TokenChain
  let head = 0
  const readers: ReaderProcess[] = []

  const openReader = async (...args: readonly string[]): Promise<ReaderProcess> => {
    const reader = await startReader([
      `--from=redis?url=${server.url}`,
      `--genesis-file=${genesisFile()}`,
      '--min-gas-price=0',
      APIS,
      ...args,
    ])
    readers.push(reader)
    return reader
  }
  const openHere = (options: Partial<ReaderHereOptions> = {}): Promise<ReaderHere> =>
    openReaderHere({
      kv,
      genesis: parseGenesisText(readFileSync(genesisFile(), 'utf8')),
      apis: ['ETH', 'NET', 'WEB3', 'QBFT', 'DEBUG'],
      ...options,
    })
  const stored = async (key: string): Promise<Uint8Array> => {
    const bytes = await kv.get(key)
    const value = bytes === undefined ? undefined : checkedValue(key, bytes)
    if (value === undefined) throw new Error(`there is no ${key}`)
    return value
  }
  /** Puts another value with a right checksum under the key while `work` runs. */
  const forged = async (key: string, value: Uint8Array, work: () => Promise<void>): Promise<void> => {
    const before = await kv.get(key)
    await kv.set([{ key, value: withChecksum(key, value) }])
    try {
      await work()
    } finally {
      await kv.set([{ key, value: before }])
    }
  }
  const genesisFile = (): string => join(folder, 'genesis.json')
  /** The output of a reader that does not serve, once it has the text. */
  const outputOfRefused = async (text: string, ...args: readonly string[]): Promise<string> => {
    const reader = spawnReader([`--from=redis?url=${server.url}`, ...args])
    try {
      await until(() => reader.output().includes(text), { what: text })
      return reader.output()
    } finally {
      await reader.stop()
    }
  }
  const expectRefused = async (reader: ReaderHere, request: Request): Promise<void> => {
    expect(JSON.parse(await reader.ask(request))).toMatchObject({
      error: { code: -32603, data: expect.stringContaining('not proved') as string },
    })
  }

  beforeAll(async () => {
    server = await startRedis()
    node = await startNode(folder, ['--min-gas-price=0', APIS, `--replicate-to=redis?url=${server.url}`])
    chain = await makeTokenChain(node.url, 70)
    head = Number((JSON.parse(await ask(node.url, ['eth_blockNumber'])) as { result: string }).result)
    kv = await sharedStoreOf(`redis?url=${server.url}`).open()
    await until(
      async () =>
        decodeReplicaHead((await kv.get('replica')) as Uint8Array).head?.header.number === BigInt(head),
    )
    await node.stop()
  })
  afterAll(async () => {
    for (const reader of readers) await reader.stop()
    await kv?.close()
    await server?.remove()
    rmSync(folder, { recursive: true, force: true })
  })

  test('given an honest store, then its answers are those of the node to the byte, and say so', async () => {
    const restarted = await startNode(folder, ['--min-gas-price=0', APIS])
    const reader = await openReader('--verify=state')
    try {
      expect(await differentAnswers(restarted.url, reader.url, readerRequests(chain, head))).toEqual([])
    } finally {
      await restarted.stop()
    }
    const response = await fetch(reader.url, {
      method: 'POST',
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_blockNumber' }),
    })
    expect(response.headers.get('x-quorate-verified')).toBe('state')
  })

  test('given a forged account with a right checksum, then head serves it and state refuses it', async () => {
    const key = `a:${chain.account.slice(2).toLowerCase()}`
    const record = await stored(key)
    const account = valueOfRecord(record, accountCodec)
    if (account === undefined) throw new Error('there is no account')
    const writer = createWriter()
    accountCodec.write(writer, { ...account, balance: 10n ** 24n })
    writeHistory(writer, accountCodec, historyOfRecord(record, accountCodec))
    await forged(key, writer.finish(), async () => {
      const request: Request = ['eth_getBalance', chain.account, 'latest']
      const trusting = await openHere({ verification: 'head' })
      expect(await trusting.ask(request)).toContain((10n ** 24n).toString(16))
      await expectRefused(await openHere(), request)
    })
  })

  test('given a forged slot, then a call that reads it is refused', async () => {
    const prefix = `s:${chain.token.slice(2).toLowerCase()}`
    const client = new (await import('ioredis')).Redis(server.url)
    const [key = ''] = await client.keys(`${prefix}*`)
    client.disconnect()
    const slot = `0x${key.slice(prefix.length + 16)}`
    const writer = createWriter()
    slotCodec.write(writer, fromHex('ff'.padStart(64, '0')))
    await forged(key, writer.finish(), async () => {
      await expectRefused(await openHere(), ['eth_getStorageAt', chain.token, slot, 'latest'])
    })
  })

  test('given forged code, then it is refused', async () => {
    const honest = await (await openHere()).ask(['eth_getCode', chain.token, 'latest'])
    const { result: code } = JSON.parse(honest) as { readonly result: string }
    await forged(codeKey(keccak256(fromHex(code))), Uint8Array.of(0x60, 0x00), async () => {
      await expectRefused(await openHere(), ['eth_getCode', chain.token, 'latest'])
    })
  })

  const forgedRecord = async (change: (record: BlockRecord) => Partial<BlockRecord>): Promise<Uint8Array> => {
    const commit = commitOfSegment(await stored('segment:20'))
    return encodeSegment({ ...commit, nodes: [], ...change(commit) })
  }

  test.each<[string, (record: BlockRecord) => Partial<BlockRecord>]>([
    [
      'a forged log',
      ({ receipts }) => ({
        receipts: receipts.map(one => ({
          ...one,
          logs: one.logs.map(log => ({ ...log, data: log.data.slice().fill(1) })),
        })),
      }),
    ],
    ['a forged status', ({ receipts }) => ({ receipts: receipts.map(one => ({ ...one, status: false })) })],
    [
      'a missing transaction',
      ({ block }) => ({ block: { ...block, transactions: [] }, senders: [], receipts: [] }),
    ],
    [
      'a forged timestamp',
      ({ block }) => ({ block: { ...block, header: { ...block.header, timestamp: 1n } } }),
    ],
  ])('given %s, then the block is refused', async (_, change) => {
    await forged('segment:20', await forgedRecord(change), async () => {
      const reader = await openHere()
      await expectRefused(reader, ['eth_getBlockReceipts', '0x14'])
      await expectRefused(reader, ['eth_getLogs', { fromBlock: '0x14', toBlock: '0x14' }])
      await expectRefused(reader, ['eth_getBlockByNumber', '0x14', true])
    })
  })

  test('given forged senders, gas and prices, then they are worked out again', async () => {
    const request: Request = ['eth_getBlockReceipts', '0x14']
    const expected = await (await openHere()).ask(request)
    const change = ({ receipts, senders }: BlockRecord): Partial<BlockRecord> => ({
      senders: senders.map(sender => sender.slice().fill(7)),
      receipts: receipts.map(one => ({
        ...one,
        gasUsed: 1n,
        effectiveGasPrice: 9n,
        contractAddress: undefined,
      })),
      totalDifficulty: 99n,
    })
    await forged('segment:20', await forgedRecord(change), async () => {
      expect(await (await openHere()).ask(request)).toBe(expected)
    })
  })

  test('given a forged header in the past, then it is refused', async () => {
    const commit = commitOfSegment(await stored('segment:30'))
    const header = { ...commit.block.header, stateRoot: new Uint8Array(32).fill(9) }
    await forged('header:30', encodeChainHead({ ...commit, header }), async () => {
      const reader = await openHere()
      await expectRefused(reader, ['eth_getBalance', chain.account, '0x1e'])
      await expectRefused(reader, ['eth_getLogs', { fromBlock: '0x1', toBlock: 'latest' }])
    })
  })

  test('given an index that points elsewhere, then what is found there is refused', async () => {
    const hash = chain.hashes[5] as string
    const writer = createWriter()
    writer.varint(20)
    writer.varint(0)
    await forged(`t:${hash.slice(2)}`, writer.finish(), async () => {
      await expectRefused(await openHere(), ['eth_getTransactionReceipt', hash])
    })
  })

  test('given a log index that hides a block, then the log is found all the same', async () => {
    const writer = createWriter()
    writer.byte(0)
    writer.varint(0)
    await forged('logs:0', writer.finish(), async () => {
      const request: Request = ['eth_getLogs', { fromBlock: '0x1', toBlock: '0x5', address: chain.token }]
      const { ask: askHere } = await openHere()
      expect((JSON.parse(await askHere(request)) as { result: unknown[] }).result.length).toBe(5)
    })
  })

  /** Replaces the head while a reader runs, and gives what the reader then says of its readiness. */
  const withHead = async (
    reader: ReaderProcess,
    change: (replica: ReplicaHead) => ReplicaHead,
  ): Promise<string> => {
    const ready = async (): Promise<number> => (await fetch(`${reader.url}/readiness`)).status
    await until(async () => (await ready()) === 200, { what: 'a reader that is ready' })
    const bytes = (await kv.get('replica')) as Uint8Array
    await kv.set([{ key: 'replica', value: encodeReplicaHead(change(decodeReplicaHead(bytes))) }])
    try {
      const response = await until(async () => {
        const answer = await fetch(`${reader.url}/readiness`)
        return answer.status === 503 && answer
      })
      expect(JSON.parse(await ask(reader.url, ['eth_blockNumber']))).toMatchObject({
        result: `0x${head.toString(16)}`,
      })
      return await response.text()
    } finally {
      await kv.set([{ key: 'replica', value: bytes }])
    }
  }

  test('given a head that nobody sealed, an older one, or another chain, then the head stays and the reason is logged', async () => {
    const reader = await openReader('--verify=head')
    const unsealed = await withHead(reader, replica => {
      const before = replica.head
      if (before === undefined) throw new Error('no head')
      const header = {
        ...before.header,
        number: before.header.number + 1n,
        stateRoot: new Uint8Array(32).fill(3),
      }
      return { ...replica, head: { ...before, header } }
    })
    expect(unsealed).toContain('seal')
    const { block, hash, totalDifficulty } = commitOfSegment(await stored('segment:10'))
    const older = await withHead(reader, replica => ({
      ...replica,
      head: { header: block.header, hash, totalDifficulty },
    }))
    expect(older).toContain('had block')
    const other = await withHead(reader, replica => ({ ...replica, genesisHash: new Uint8Array(32).fill(1) }))
    expect(other).toContain('genesis block')
  })

  test('given a trusted block that the store does not have, then the reader does not begin', async () => {
    const output = await outputOfRefused(
      'the trusted block 30 is not proved',
      `--genesis-file=${genesisFile()}`,
      `--trusted-block=30:0x${'ab'.repeat(32)}`,
    )
    expect(output).not.toContain('is listening on')
    const { hash } = commitOfSegment(await stored('segment:30'))
    const right = await openHere({ verification: 'head', trustedBlock: { number: 30n, hash } })
    expect(JSON.parse(await right.ask(['eth_blockNumber']))).toMatchObject({
      result: `0x${head.toString(16)}`,
    })
  })

  test('given the store of another chain, then the reader does not begin and gives the reason', async () => {
    const other = join(folder, 'other.json')
    const genesis = JSON.parse(readFileSync(genesisFile(), 'utf8')) as object
    writeFileSync(other, JSON.stringify({ ...genesis, timestamp: '0x1' }))
    const output = await outputOfRefused('it holds the chain of genesis block', `--genesis-file=${other}`)
    expect(output).not.toContain('is listening on')
  })

  test('given a store that is held back, then readiness says how old the head is', async () => {
    const held = await openReader('--max-head-age=1')
    const readiness = await until(async () => {
      const response = await fetch(`${held.url}/readiness`)
      return response.status === 503 && response
    })
    expect(await readiness.text()).toMatch(/the head, block \d+, is \d+ s old, max-head-age is 1/)
    const patient = await openHere({ maxHeadAge: 86_400 })
    expect((await patient.get('/readiness')).status).toBe(200)
  })

  test('given a store that lied and is put right, then the reader answers again, also without a new head', async () => {
    const entries = await entriesOf(server.url)
    const honest = sharedMemory(new Map(entries))
    const reference = await openHere({ kv: honest })
    for (const kind of ['segment', 'header', 'a', 'n']) {
      const lied = forgedStore(entries, kind, LIES['swapped'] as Lie)
      let source = honest
      const reader = await openHere({
        kv: {
          ...honest,
          get: key => source.get(key),
          getMany: async keys => Promise.all(keys.map(key => source.get(key))),
        },
      })
      source = lied
      const requests = readerRequests(chain, head).filter((_, index) => index % 2 === 0)
      for (const request of requests) await reader.ask(request)
      source = honest
      for (const request of requests) await reader.ask(request)
      for (const request of requests)
        expect([kind, await reader.ask(request)]).toEqual([kind, await reference.ask(request)])
    }
  })

  describe.each(Object.entries(LIES))('given values that are %s, with right checksums', (_, lie: Lie) => {
    test('then each answer is as of the honest store, or an error', async () => {
      const entries = await entriesOf(server.url)
      const honest = await openHere({ kv: sharedMemory(new Map(entries)) })
      const requests = readerRequests(chain, head)
      const expected: string[] = []
      for (const request of requests) expected.push(await honest.ask(request))
      const kinds = [...new Set([...entries.keys()].map(kindOf))].filter(kind => kind !== 'replica')
      const served: string[] = []
      let refused = 0
      for (const kind of kinds) {
        const lied = await openHere({ kv: forgedStore(entries, kind, lie) })
        for (const [index, request] of requests.entries()) {
          const found = await lied.ask(request)
          if (found === expected[index]) continue
          const { error, result } = JSON.parse(found) as { error?: unknown; result?: unknown }
          if (error !== undefined) refused++
          // That a hash is unknown cannot be proved.
          else if (result !== null || !/Hash$|Receipt$/.test(request[0]))
            served.push(`${kind}: ${request.join(' ')}: ${found.slice(0, 200)}`)
        }
      }
      expect(served).toEqual([])
      expect(refused).toBeGreaterThan(0)
    })
  })
})
