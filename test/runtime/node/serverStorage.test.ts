import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { ask, makeTokenChain, readerRequests } from '../../support/readers/readerRequests.ts'
import { HAS_POSTGRESQL, startPostgresql } from '../../support/servers/postgresql.ts'
import { HAS_REDIS, startRedis } from '../../support/servers/redis.ts'
import type { TestServer } from '../../support/servers/serverProcess.ts'
import { until } from '../../support/until.ts'
import { withFolder } from '../folder.ts'
import { isInstalled, type NodeProcess, type RuntimeName, startNode } from '../nodeProcess.ts'
import { clientsOf } from '../transactions.ts'

setDefaultTimeout(240_000)

const TARGET = `0x${'cc'.repeat(20)}` as const

const headOf = async (node: NodeProcess): Promise<number> => Number(await node.rpc<string>('eth_blockNumber'))

/** Sends transfers, one block each, until the node is gone. Gives the highest block that it reported. */
const sendUntilGone = async (node: NodeProcess): Promise<number> => {
  const { wallet } = clientsOf(node.url)
  let highest = 0
  for (;;) {
    try {
      await wallet.sendTransaction({ to: TARGET, value: 1n })
      highest = Math.max(highest, await headOf(node))
    } catch {
      return highest
    }
  }
}

type Storage = {
  readonly name: string
  readonly isHere: boolean
  /** With data that survive a crash. */
  readonly start: () => Promise<TestServer>
  readonly runtimes: readonly RuntimeName[]
}

const STORAGES: readonly Storage[] = [
  {
    name: 'redis',
    isHere: HAS_REDIS,
    start: () => startRedis({ keeps: true }),
    runtimes: ['bun', 'deno'],
  },
  { name: 'postgresql', isHere: HAS_POSTGRESQL, start: startPostgresql, runtimes: ['bun', 'node'] },
]

const withServer = async (
  { name, start }: Storage,
  runtime: RuntimeName,
  run: (server: TestServer, startOnIt: (takesOver?: boolean) => Promise<NodeProcess>) => Promise<void>,
): Promise<void> => {
  const server = await start()
  const nodes: NodeProcess[] = []
  try {
    await withFolder(async folder => {
      const args = ['--min-gas-price=0', '--rpc-http-api=ETH,NET,WEB3,QBFT,DEBUG,TXPOOL']
      const storage = `--storage=${name}?url=${encodeURIComponent(server.url)}`
      try {
        await run(server, async (takesOver = false) => {
          const node = await startNode(folder, [...args, takesOver ? `${storage}&takeover=true` : storage], {
            runtime,
          })
          nodes.push(node)
          return node
        })
      } finally {
        for (const node of nodes) await node.kill()
      }
    })
  } finally {
    await server.remove()
  }
}

const runs = STORAGES.flatMap(storage =>
  storage.runtimes
    .filter(runtime => storage.isHere && isInstalled(runtime))
    .map(runtime => ({ name: `${storage.name} on ${runtime}`, storage, runtime })),
)

describe.each(runs)('given a node whose whole chain is in $name', ({ storage, runtime }) => {
  test('when it is killed and the server crashes, then nothing is lost and blocks go on', () =>
    withServer(storage, runtime, async (server, startOnIt) => {
      const first = await startOnIt()
      const chain = await makeTokenChain(first.url, 6)
      const requests = readerRequests(chain, await headOf(first)).filter(([method, ...params]) => {
        // What follows the head, and the signers of the last hundred blocks.
        const isOfHead =
          params.includes('latest') || params.includes('finalized') || params.includes('pending')
        return (
          !isOfHead &&
          !['eth_blockNumber', 'eth_gasPrice', 'qbft_getSignerMetrics', 'eth_getLogs'].includes(method)
        )
      })
      const answersOf = (node: NodeProcess) => Promise.all(requests.map(request => ask(node.url, request)))
      const expected = await answersOf(first)

      const sending = sendUntilGone(first)
      await Bun.sleep(300)
      await first.kill()
      const reported = await sending
      // Without waiting for the end of the lease, which test/runtime/drivers/lease.test.ts does.
      const second = await startOnIt(true)
      expect(await headOf(second)).toBeGreaterThanOrEqual(reported)
      expect(await answersOf(second)).toEqual(expected)

      await makeTokenChain(second.url, 2)
      await server.kill()
      const before = await headOf(second)
      const { wallet, reader } = clientsOf(second.url)
      const hash = await wallet.sendTransaction({
        to: TARGET,
        value: 7n,
        gas: 21_000n,
        maxFeePerGas: 10n ** 10n,
        maxPriorityFeePerGas: 1n,
      })
      await until(() => second.output().includes('the store could not'))
      expect(await headOf(second)).toBe(before)
      await server.start()
      await reader.waitForTransactionReceipt({ hash })
      expect(second.output()).toContain('The store accepts writes again')
      expect(await answersOf(second)).toEqual(expected)

      const last = await headOf(second)
      expect(await second.stop()).toBe(0)
      const third = await startOnIt()
      expect(await headOf(third)).toBe(last)
      expect(await answersOf(third)).toEqual(expected)
      expect(await third.stop()).toBe(0)
    }))

  test('when the server is not there at the start, then the node ends with the reason', () =>
    withServer(storage, runtime, async (server, startOnIt) => {
      await server.kill()
      expect(String(await startOnIt().catch((error: unknown) => error))).toContain(
        `the storage ${storage.name} cannot be`,
      )
    }))
})
