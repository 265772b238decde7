import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { toHex } from '../../../core/bytes/hex.ts'
import { withFolder } from '../../runtime/folder.ts'
import { testKey } from '../../runtime/genesis.ts'
import { startNode } from '../../runtime/nodeProcess.ts'
import { measureLoad } from '../auth/load.ts'
import { ownBlocks } from '../engines/ownBlocks.ts'
import { benchGenesis } from '../genesis.ts'
import { type BenchOptions, median, msText, type Row, timesText } from '../measure.ts'
import { createAlloc, createBlocks, createSenders } from '../workload.ts'

const CONNECTIONS = 16

/** What receipts tell, once each: what they all have in common is asked of the block. */
const RECEIPTS = `{ block(number: 1) { number hash transactions { hash index type status gasUsed cumulativeGasUsed effectiveGasPrice
  from { address } to { address } createdContract { address } logs { index data topics account { address } } } } }`

const SMALL = '{ block(number: 1) { number hash gasUsed timestamp } }'

type Measured = { readonly ms: number; readonly bytes: number }

type Ask = (body: string) => Promise<string>

const asking =
  (url: string): Ask =>
  async body => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`)
    return await response.text()
  }

const rpcBody = (method: string, ...params: readonly unknown[]): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })

/** All at once over so many connections; the characters of all answers. */
const askAll = async (ask: Ask, bodies: readonly string[]): Promise<number> => {
  let next = 0
  let characters = 0
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      for (let body = bodies[next++]; body !== undefined; body = bodies[next++]) {
        const { length } = await ask(body)
        characters += length
      }
    }),
  )
  return characters
}

const timed = async (run: () => Promise<number>): Promise<Measured> => {
  const start = performance.now()
  const bytes = await run()
  return { ms: performance.now() - start, bytes }
}

const medianOf = (measured: readonly Measured[]): Measured => ({
  ms: median(measured.map(({ ms }) => ms)),
  bytes: measured[0]?.bytes ?? 0,
})

const requestBytes = (path: string, body: string): Uint8Array =>
  new TextEncoder().encode(
    `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  )

type Way = readonly [name: string, run: () => Promise<number>]

const benchReceipts = async (ways: readonly Way[], rounds: number): Promise<readonly Row[]> => {
  const figures = new Map<string, Measured[]>(ways.map(([name]) => [name, []]))
  // In turns, so that what else the machine does falls on all; the first ones are for the compilers.
  for (let round = -3; round < rounds; round++)
    for (const [name, run] of ways) {
      const measured = await timed(run)
      if (round >= 0) figures.get(name)?.push(measured)
    }
  const first = medianOf(figures.get(ways[0]?.[0] as string) ?? [])
  return ways.map(([name]): Row => {
    const { ms, bytes } = medianOf(figures.get(name) ?? [])
    return {
      name,
      values: {
        ms: msText(ms),
        KB: (bytes / 1000).toFixed(0),
        'time of GraphQL': timesText(ms, first.ms),
        'bytes of GraphQL': timesText(bytes, first.bytes),
      },
    }
  })
}

const benchSmall = async (
  ports: { readonly graphql: number; readonly rpc: number },
  getBlock: string,
  quick: boolean,
): Promise<readonly Row[]> => {
  const load = { connections: CONNECTIONS, ms: quick ? 500 : 2_000 }
  const query = requestBytes('/graphql', JSON.stringify({ query: SMALL }))
  const rates: { readonly graphql: number; readonly rpc: number }[] = []
  for (let round = 0; round < (quick ? 3 : 6); round++)
    rates.push({
      graphql: (await measureLoad(ports.graphql, query, load)).perSecond,
      rpc: (await measureLoad(ports.rpc, requestBytes('/', getBlock), load)).perSecond,
    })
  const counted = rates.slice(1)
  return [
    {
      name: 'four fields of a block by GraphQL',
      values: { 'per second': median(counted.map(rate => rate.graphql)).toFixed(0) },
    },
    {
      name: 'the whole block by eth_getBlockByNumber',
      values: { 'per second': median(counted.map(rate => rate.rpc)).toFixed(0) },
    },
  ]
}

/** GraphQL beside JSON-RPC on the same node: a block's receipts whole, and small queries. */
export const benchGraphql = ({ quick, progress, row }: BenchOptions): Promise<void> =>
  withFolder(async folder => {
    progress('graphql: a block of 1,000 token transfers')
    const senders = createSenders()
    const genesis = benchGenesis(await createAlloc(senders))
    const dataPath = join(folder, 'node')
    mkdirSync(dataPath)
    writeFileSync(join(folder, 'genesis.json'), JSON.stringify(genesis))
    writeFileSync(join(dataPath, 'key'), toHex(testKey(1)), { mode: 0o600 })
    const own = await ownBlocks(dataPath, genesis)
    const [block] = createBlocks('ERC-20 transfers', senders, 1)
    if (block === undefined) throw new Error('there is no block')
    await own.run(block)
    await own.close()
    const node = await startNode(dataPath, [
      `--genesis-file=${join(folder, 'genesis.json')}`,
      '--rpc-http-enabled',
      '--p2p-enabled=false',
      '--graphql-http-enabled',
      '--graphql-http-port=0',
    ])
    try {
      const port = /^graphql-http=(\d+)$/m.exec(readFileSync(join(dataPath, 'besu.ports'), 'utf8'))?.[1]
      const rpc = asking(node.url)
      const graphql = asking(`http://127.0.0.1:${port}/graphql`)
      const hashes = block.map(({ transaction }) => toHex(transaction.hash))
      const single = hashes.map(hash => rpcBody('eth_getTransactionReceipt', hash))
      const getBlock = rpcBody('eth_getBlockByNumber', '0x1', false)
      const ways: readonly Way[] = [
        ['one GraphQL query', async () => (await graphql(JSON.stringify({ query: RECEIPTS }))).length],
        [
          'eth_getBlockByNumber and 1,000 eth_getTransactionReceipt',
          async () => (await rpc(getBlock)).length + (await askAll(rpc, single)),
        ],
        [
          'the same with the receipts in one batch',
          async () => (await rpc(getBlock)).length + (await rpc(`[${single.join()}]`)).length,
        ],
        ['eth_getBlockReceipts', async () => (await rpc(rpcBody('eth_getBlockReceipts', '0x1'))).length],
      ]
      await row('receipts of a block', () => benchReceipts(ways, quick ? 5 : 15))
      await row('small queries', () =>
        benchSmall({ graphql: Number(port), rpc: Number(new URL(node.url).port) }, getBlock, quick),
      )
    } finally {
      await node.stop()
    }
  })
