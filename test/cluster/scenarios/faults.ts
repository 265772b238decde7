import { expect } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { clientsOf } from '../../runtime/transactions.ts'
import { type Cluster, createCluster } from '../support/cluster.ts'
import { hashesOf, until, untilBlocks, untilHeads } from '../support/waiting.ts'
import { scenario } from '../../support/scenario.ts'

const CHAIN_ID = 4242
const ALL = [1, 2, 3, 4]

scenario(
  'given four validators in processes of their own that know one bootnode',
  ({ beforeAll, afterAll, test }) => {
    const folder = mkdtempSync(join(tmpdir(), 'quorate-cluster-'))
    let cluster: Cluster

    beforeAll(async () => {
      cluster = await createCluster({ folder, validators: 4, nodes: 5 })
      await cluster.start(...ALL)
    })

    afterAll(async () => {
      await cluster.end()
      rmSync(folder, { recursive: true, force: true })
    })

    test('then they make blocks, each in its turn, and agree on them', async () => {
      const number = await untilBlocks(cluster, 4)
      expect(await hashesOf(cluster, number)).toHaveLength(1)
      const blocks = await Promise.all([3, 2, 1, 0].map(back => cluster.block(1, number - back)))
      const makers = new Set(blocks.map(block => block?.miner))
      expect([...makers].every(maker => ALL.map(cluster.address).includes(maker ?? ''))).toBe(true)
      expect(makers.size).toBeGreaterThan(1)
    })

    test('then a transaction sent to any of them is mined', async () => {
      const hashes = await Promise.all(
        ALL.map(index =>
          clientsOf(cluster.node(index).url, CHAIN_ID, index).wallet.sendTransaction({
            to: '0x00000000000000000000000000000000000000ff',
            value: BigInt(index),
          }),
        ),
      )
      const { reader } = clientsOf(cluster.node(2).url, CHAIN_ID)
      const receipts = await Promise.all(hashes.map(hash => reader.waitForTransactionReceipt({ hash })))
      expect(receipts.map(({ status }) => status)).toEqual(ALL.map(() => 'success'))
    })

    test('when a node that is no validator joins, then it follows, and passes on what is sent to it', async () => {
      await cluster.start(5)
      await untilBlocks(cluster, 2)
      const { wallet, reader } = clientsOf(cluster.node(5).url, CHAIN_ID, 5)
      const hash = await wallet.sendTransaction({
        to: '0x00000000000000000000000000000000000000ff',
        value: 1n,
      })
      expect((await reader.waitForTransactionReceipt({ hash })).status).toBe('success')
      expect(await cluster.stop(5)).toEqual([0])
    })

    test('when one is killed, then blocks go on; when two are, they stop; when one comes back, they go on', async () => {
      await cluster.kill(4)
      await untilBlocks(cluster, 3)
      await cluster.kill(3)
      // What was agreed on at that moment may still arrive.
      await Bun.sleep(500)
      const stopped = await Promise.all([1, 2].map(cluster.head))
      await Bun.sleep(2_500)
      expect(await Promise.all([1, 2].map(cluster.head))).toEqual(stopped)
      await until('a line that says why', async () =>
        /No block for \d+ s: 2 of 4 validators are (?:connected|heard), 3 are needed/.test(
          cluster.node(1).output(),
        ),
      )
      const readiness = async (): Promise<Response> => fetch(`${cluster.node(1).url}/readiness`)
      await until('readiness that says the same', async () => {
        const response = await readiness()
        return response.status === 503 && /No block for \d+ s: 2 of 4/.test(await response.text())
      })
      await cluster.start(3)
      const number = await untilBlocks(cluster, 3)
      expect(await hashesOf(cluster, number)).toHaveLength(1)
      await until('readiness again', async () => (await readiness()).ok)
      await cluster.start(4)
      await untilBlocks(cluster, 2)
    })

    test('when all are killed at once and started again one after the other, then blocks go on from where they were', async () => {
      const before = await cluster.block(1, 'latest')
      await cluster.kill(...ALL)
      for (const index of [3, 1, 4, 2]) await cluster.start(index)
      await untilHeads(cluster, Number(before?.number) + 3)
      expect(await hashesOf(cluster, Number(before?.number))).toEqual([before?.hash ?? ''])
    })

    test('when all are killed and their bootnode stays away, then the others find each other, and blocks go on', async () => {
      await cluster.kill(...ALL)
      await cluster.start(2, 3, 4)
      await untilBlocks(cluster, 2)
      await cluster.start(1)
      await untilBlocks(cluster, 2)
    })

    test('when one lost its data, then it gets the chain from the others and signs again', async () => {
      await cluster.stop(2)
      cluster.wipe(2)
      await cluster.start(2)
      const number = await untilBlocks(cluster, 2)
      expect(await hashesOf(cluster, number)).toHaveLength(1)
      const own = cluster.address(2)
      await until('a block that it made', async () => {
        const block = await cluster.block(1, 'latest')
        return block !== null && Number(block.number) > number && block.miner === own
      })
    })

    test('when they are told to stop, then all of them do', async () => {
      expect(await cluster.stop(...ALL)).toEqual([0, 0, 0, 0])
    })
  },
)
