import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createCluster } from '../cluster/support/cluster.ts'
import { until } from '../cluster/support/waiting.ts'
import { startNetwork, urlsIn } from '../runtime/networkProcess.ts'
import { isInstalled, type RuntimeName, startNode } from '../runtime/nodeProcess.ts'
import type { Client } from './repeats.ts'
import { CLIENTS, type Endpoint, installedClients, sendInRow } from './sendInRow.ts'

setDefaultTimeout(300_000)

/**
 * Transactions in a row of each client; more on the network with a London genesis, where those of viem last until the base
 * fee is next to nothing. Each send of cast starts a process. `SENDS=300 bun test --timeout=60000 test/compatibility/defaultFees.test.ts` sends as many of each.
 */
const countOf = (usual: number): number => Number(process.env['SENDS'] ?? usual)
const COUNTS: Readonly<Record<Client, number>> = {
  viem: countOf(30),
  ethers: countOf(30),
  cast: countOf(5),
  'web3.py': countOf(30),
}
const LONDON_COUNTS: Readonly<Record<Client, number>> = {
  viem: countOf(300),
  ethers: countOf(60),
  cast: countOf(10),
  'web3.py': countOf(60),
}

type Chain = Endpoint & { end(): Promise<unknown> }

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

const LONDON_RUNTIMES: readonly RuntimeName[] = ['node', 'deno']

/** A validator on Node and a node on Deno that makes no blocks, which is sent to. The base fee falls from 1 gwei to 7 wei meanwhile. */
const london = async (folder: string): Promise<Chain> => {
  const cluster = await createCluster({
    folder,
    validators: 1,
    nodes: 2,
    // A client that other tests delay for seconds sends what it prepared less than ninety blocks ago.
    qbft: { xblockperiodmilliseconds: 150 },
    runtimeOf: index => LONDON_RUNTIMES.filter(isInstalled)[index - 1] ?? 'bun',
  })
  await cluster.start(1, 2)
  await until('the validator', async () => (await cluster.head(2)) > 0)
  return { url: cluster.node(2).url, chainId: 4242, end: () => cluster.end() }
}

const CHAINS = [
  { name: 'the development chain', start: developmentChain, counts: COUNTS },
  { name: 'a small network of `bun run network`', start: smallNetwork, counts: COUNTS },
  { name: 'a London genesis with default options', start: london, counts: LONDON_COUNTS },
]

describe.each(CHAINS)('given $name', ({ start, counts }) => {
  const folder = mkdtempSync(join(tmpdir(), 'quorate-'))
  const mined = new Map<Client, Promise<number>>()
  let chain: Chain

  beforeAll(async () => {
    chain = await start(folder)
    // All at once, each from an account of its own.
    for (const client of installedClients) {
      const sending = sendInRow(chain, client, counts[client])
      mined.set(client, sending)
      // The test that waits for it fails.
      sending.catch(() => undefined)
    }
  })
  afterAll(async () => {
    await chain.end()
    rmSync(folder, { recursive: true, force: true })
  })

  test.each(CLIENTS.map(client => [counts[client], client] as const))(
    'when %d transactions in a row have the default fees of %s, then all are mined',
    async (count, client) => {
      const sending = mined.get(client)
      if (sending === undefined) console.log('web3.py: skipped (python3 -m pip install web3)')
      else expect(await sending).toBe(count)
    },
  )
})
