import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createCluster } from '../cluster/support/cluster.ts'
import { until } from '../cluster/support/waiting.ts'
import { startNetwork, urlsIn } from '../runtime/networkProcess.ts'
import { startNode } from '../runtime/nodeProcess.ts'
import { hasWeb3 } from './python/run.ts'
import { type Client, REPEATS } from './repeats.ts'

setDefaultTimeout(300_000)

/**
 * Transactions in a row of each client on each chain: those of viem last until the base fee is next to nothing. Each send of cast
 * starts a process. `SENDS=300 bun test --timeout=60000 test/compatibility/defaultFees.test.ts` sends as many of each.
 */
const countOf = (usual: number): number => Number(process.env['SENDS'] ?? usual)
const COUNTS: Readonly<Record<Client, number>> = {
  viem: countOf(300),
  ethers: countOf(60),
  cast: countOf(10),
  'web3.py': countOf(60),
}
/** Sent before their receipts are waited for: a sender may be 200 nonces ahead of its account. */
const AT_ONCE = 100
const CLIENTS: readonly Client[] = ['viem', 'ethers', 'cast', 'web3.py']

type Chain = { readonly url: string; readonly chainId: number; end(): Promise<unknown> }

const developmentChain = async (folder: string): Promise<Chain> => {
  const node = await startNode(folder)
  return { url: node.url, chainId: 1337, end: () => node.kill() }
}

const smallNetwork = async (folder: string): Promise<Chain> => {
  const network = startNetwork(folder, '--validators=2', '--block-period-ms=100')
  const [url] = await until('the endpoints', async () => {
    const urls = urlsIn(network.output())
    return urls.length === 3 && /^#1 /m.test(network.output()) ? urls : undefined
  })
  return { url: url as string, chainId: 1337, end: () => network.end('SIGTERM') }
}

/** A validator and a node that makes no blocks, which is sent to. The base fee falls from 1 gwei to 7 wei meanwhile. */
const london = async (folder: string): Promise<Chain> => {
  const cluster = await createCluster({
    folder,
    validators: 1,
    nodes: 2,
    qbft: { xblockperiodmilliseconds: 50 },
  })
  await cluster.start(1, 2)
  await until('the validator', async () => (await cluster.head(2)) > 0)
  return { url: cluster.node(2).url, chainId: 4242, end: () => cluster.end() }
}

const CHAINS = {
  'the development chain': developmentChain,
  'a small network of `bun run network`': smallNetwork,
  'a London genesis with default options': london,
}

const rpc = async (url: string, method: string, ...params: readonly unknown[]): Promise<unknown> => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(url, { method: 'POST', headers, body })
  return ((await response.json()) as { readonly result?: unknown }).result
}

describe.each(Object.entries(CHAINS))('given %s', (_, start) => {
  const folder = mkdtempSync(join(tmpdir(), 'quorate-'))
  const mined = new Map<Client, Promise<number>>()
  let chain: Chain

  const untilMined = async (client: Client, hashes: readonly string[]): Promise<void> => {
    const left = new Set(hashes)
    await until(`the receipts of ${client}`, async () => {
      for (const hash of left) {
        if ((await rpc(chain.url, 'eth_getTransactionReceipt', hash)) === null) break
        left.delete(hash)
      }
      return left.size === 0
    })
  }

  const sendAll = async (client: Client): Promise<number> => {
    const { url, chainId } = chain
    const hashes = new Set<string>()
    for (let first = 0; first < COUNTS[client]; first += AT_ONCE) {
      const count = Math.min(AT_ONCE, COUNTS[client] - first)
      const sent = await REPEATS[client]({ url, chainId, first, count })
      await untilMined(client, sent)
      for (const hash of sent) hashes.add(hash)
    }
    return hashes.size
  }

  beforeAll(async () => {
    chain = await start(folder)
    // All at once, each from an account of its own.
    for (const client of hasWeb3 ? CLIENTS : CLIENTS.slice(0, -1)) {
      const sending = sendAll(client)
      mined.set(client, sending)
      // The test that waits for it fails.
      sending.catch(() => undefined)
    }
  })
  afterAll(async () => {
    await chain.end()
    rmSync(folder, { recursive: true, force: true })
  })

  test.each(CLIENTS.map(client => [COUNTS[client], client] as const))(
    'when %d transactions in a row have the default fees of %s, then all are mined',
    async (count, client) => {
      const sending = mined.get(client)
      if (sending === undefined) console.log('web3.py: skipped (python3 -m pip install web3)')
      else expect(await sending).toBe(count)
    },
  )
})
