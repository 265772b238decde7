import { expect } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { JOURNAL_FILE } from '../../../runtime/node/pool/transactionJournal.ts'
import { encodedTransfer } from '../../attack/transfers.ts'
import { isInstalled, type RuntimeName } from '../../runtime/nodeProcess.ts'
import { scenario } from '../../support/scenario.ts'
import { type Cluster, createCluster } from '../support/cluster.ts'
import { until, untilBlocks } from '../support/waiting.ts'

const ACCEPTED = 20

/** Two on Bun, and one each on Node and Deno where those are there. */
const runtimeOf = (index: number): RuntimeName => {
  const wanted: RuntimeName = index === 3 ? 'node' : index === 4 ? 'deno' : 'bun'
  return isInstalled(wanted) ? wanted : 'bun'
}

scenario('given four validators whose pools hold accepted transactions', ({ beforeAll, afterAll, test }) => {
  const folder = mkdtempSync(join(tmpdir(), 'quorate-rolling-'))
  const hashes: string[] = []
  let cluster: Cluster

  const untilAllWaitAt = (index: number): Promise<boolean> =>
    until(`the transactions on node ${index}`, async () => {
      const waiting = await cluster.node(index).rpc<readonly unknown[]>('txpool_besuTransactions')
      return waiting.length === ACCEPTED
    })

  beforeAll(async () => {
    cluster = await createCluster({ folder, validators: 4, nodes: 4, runtimeOf })
    await cluster.start(1, 2, 3, 4)
    await untilBlocks(cluster, 1)
    // They wait for the first nonce, so that no block takes them.
    for (let nonce = 1; nonce <= ACCEPTED; nonce++)
      hashes.push(await cluster.node(1).rpc('eth_sendRawTransaction', encodedTransfer(nonce)))
    for (const index of cluster.running()) await untilAllWaitAt(index)
  })

  afterAll(async () => {
    await cluster.end()
    rmSync(folder, { recursive: true, force: true })
  })

  test('when all are restarted in turn, by SIGTERM and kill -9, then each fetches them from the others', async () => {
    await cluster.kill(1)
    // What it kept itself is gone, too: the others have to give them.
    rmSync(join(folder, 'node1', JOURNAL_FILE))
    await cluster.start(1)
    await untilAllWaitAt(1)
    for (const [index, how] of [
      [2, 'stop'],
      [3, 'kill'],
      [4, 'stop'],
    ] as const) {
      await cluster[how](index)
      await cluster.start(index)
      await untilAllWaitAt(index)
    }
  })

  test('when the first nonce comes, then every one of them is mined', async () => {
    await cluster.node(4).rpc('eth_sendRawTransaction', encodedTransfer(0))
    for (const hash of hashes)
      await until(`the receipt of ${hash}`, async () => {
        const receipt = await cluster.node(2).rpc<object | null>('eth_getTransactionReceipt', hash)
        return receipt !== null
      })
    expect(hashes).toHaveLength(ACCEPTED)
  })
})
