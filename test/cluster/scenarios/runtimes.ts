import { expect } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isInstalled, type RuntimeName } from '../../runtime/nodeProcess.ts'
import { clientsOf } from '../../runtime/transactions.ts'
import { type Cluster, createCluster } from '../support/cluster.ts'
import { hashesOf, untilBlocks } from '../support/waiting.ts'
import { scenario } from '../../support/scenario.ts'

const RUNTIMES: readonly RuntimeName[] = ['bun', 'node', 'deno', 'bun']

scenario(
  'given validators on Bun, Node and Deno',
  ({ beforeAll, afterAll, test }) => {
    const folder = mkdtempSync(join(tmpdir(), 'quorate-cluster-'))
    let cluster: Cluster

    beforeAll(async () => {
      cluster = await createCluster({
        folder,
        validators: 4,
        nodes: 4,
        qbft: { requesttimeoutseconds: 2 },
        runtimeOf: index => RUNTIMES[index - 1] as RuntimeName,
      })
      await cluster.start(1, 2, 3, 4)
    })

    afterAll(async () => {
      await cluster.end()
      rmSync(folder, { recursive: true, force: true })
    })

    test('when only one of each is left then all three are needed, and make blocks with transactions', async () => {
      await untilBlocks(cluster, 1)
      expect(await cluster.stop(4)).toEqual([0])
      const { wallet, reader } = clientsOf(cluster.node(3).url, 4242)
      const hash = await wallet.sendTransaction({
        to: '0x00000000000000000000000000000000000000ff',
        value: 1n,
      })
      const { status, blockNumber } = await reader.waitForTransactionReceipt({ hash })
      expect(status).toBe('success')
      await untilBlocks(cluster, 3)
      expect(await hashesOf(cluster, Number(blockNumber))).toHaveLength(1)
      expect(await cluster.stop(1, 2, 3)).toEqual([0, 0, 0])
    })
  },
  { skip: !RUNTIMES.every(isInstalled) },
)
