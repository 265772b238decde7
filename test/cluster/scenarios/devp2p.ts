import { expect } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decodeExtraData } from '../../../core/block/codec/extraData.ts'
import { fromHex } from '../../../core/bytes/hex.ts'
import { isInstalled, type RuntimeName } from '../../runtime/nodeProcess.ts'
import { clientsOf } from '../../runtime/transactions.ts'
import { type Cluster, createCluster } from '../support/cluster.ts'
import { hashesOf, until, untilBlocks, untilHeads } from '../support/waiting.ts'
import { scenario } from '../../support/scenario.ts'

const RUNTIMES: readonly RuntimeName[] = ['bun', 'node', 'deno', 'bun', 'bun']
const ALL = [1, 2, 3, 4, 5]
/** The node that is no validator. */
const RPC = 5

const enodeOf = async (cluster: Cluster, index: number): Promise<string> =>
  (await cluster.node(index).rpc<{ readonly enode: string }>('admin_nodeInfo')).enode

const writeStaticNodes = (cluster: Cluster, index: number, enodes: readonly string[]): void =>
  writeFileSync(join(cluster.dataPath(index), 'static-nodes.json'), JSON.stringify(enodes))

/** Names the running nodes to each, now and after a restart. */
const connectAll = async (cluster: Cluster): Promise<void> => {
  const running = cluster.running()
  const enodes = await Promise.all(running.map(index => enodeOf(cluster, index)))
  for (const [own, index] of running.entries()) {
    const others = enodes.filter((_, at) => at !== own)
    writeStaticNodes(cluster, index, others)
    for (const enode of others) await cluster.node(index).rpc('admin_addPeer', enode)
  }
}

const send = async (cluster: Cluster, index: number): Promise<number> => {
  const { wallet, reader } = clientsOf(cluster.node(index).url, 4242)
  const hash = await wallet.sendTransaction({ to: '0x00000000000000000000000000000000000000ff', value: 1n })
  const { status, blockNumber } = await reader.waitForTransactionReceipt({ hash })
  expect(status).toBe('success')
  return Number(blockNumber)
}

scenario(
  'given validators on Bun, Node and Deno that connect over devp2p as before Besu 26.1, and a node for clients',
  ({ beforeAll, afterAll, test }) => {
    const folder = mkdtempSync(join(tmpdir(), 'quorate-cluster-'))
    let cluster: Cluster

    beforeAll(async () => {
      cluster = await createCluster({
        folder,
        validators: 4,
        nodes: 5,
        qbft: { requesttimeoutseconds: 2 },
        runtimeOf: index => RUNTIMES[index - 1] as RuntimeName,
        args: [
          '--logging-format=PLAIN',
          '--p2p-protocol=devp2p',
          '--metrics-enabled',
          '--metrics-port=0',
          '--Xbft-legacy-protocol-encoding',
        ],
      })
    })

    afterAll(async () => {
      await cluster.end()
      rmSync(folder, { recursive: true, force: true })
    })

    test('when the first proposer is absent, then the first block has a later round, and that one continues after it', async () => {
      // The proposer of block 1 is the one with the lowest address.
      const absent = [1, 2, 3, 4].sort((a, b) =>
        cluster.address(a) < cluster.address(b) ? -1 : 1,
      )[0] as number
      await cluster.start(...ALL.filter(index => index !== absent))
      await connectAll(cluster)
      await untilBlocks(cluster, 1)
      const first = await cluster
        .node(RPC)
        .rpc<{ readonly extraData: string }>('eth_getBlockByNumber', '0x1', false)
      // The proposer of round 0 is away; on a busy machine another round may end, too.
      expect(decodeExtraData(fromHex(first.extraData)).round).toBeGreaterThan(0)
      await cluster.start(absent)
      await connectAll(cluster)
      expect(await hashesOf(cluster, await untilBlocks(cluster, 1))).toHaveLength(1)
    })

    test('when a client sends a transaction to the node without blocks of its own, then all nodes have it in one block', async () => {
      await untilBlocks(cluster, 1)
      const number = await send(cluster, RPC)
      await untilHeads(cluster, number)
      expect(await hashesOf(cluster, number)).toHaveLength(1)
    })

    test('when the peers are listed, then each has the protocols of devp2p', async () => {
      await until('four peers', async () => (await cluster.node(RPC).rpc('net_peerCount')) === '0x4')
      const peers = await cluster.node(RPC).rpc<readonly object[]>('admin_peers')
      for (const peer of peers)
        expect(peer).toMatchObject({
          version: '0x5',
          caps: ['eth/66', 'eth/68', 'eth/69', 'istanbul/100', 'quorate/1'],
          protocols: { eth: { version: 69 } },
        })
    })

    test('when the metrics are read, then they count peers by their software, and consensus messages', async () => {
      const response = await fetch(`${cluster.node(RPC).metricsUrl}/metrics`)
      const text = await response.text()
      expect(text).toMatch(/^ethereum_peer_count 4/m)
      expect(text).toMatch(/^besu_peers_peer_count_by_client\{client="quorate"\} 4/m)
    })

    test('when a validator is killed, then blocks go on, and it catches up and makes blocks again', async () => {
      await cluster.kill(3)
      await untilBlocks(cluster, 2)
      await cluster.start(3)
      const number = await untilBlocks(cluster, 2)
      expect(await hashesOf(cluster, number)).toHaveLength(1)
      await until('a block of its making', async () => {
        const head = await cluster.head(1)
        return (await cluster.block(1, head))?.miner === cluster.address(3)
      })
    })

    test('when a node lost its chain, then it has all of it from the others', async () => {
      await cluster.stop(RPC)
      cluster.wipe(RPC)
      await cluster.start(RPC)
      const number = await untilBlocks(cluster, 1)
      expect(await hashesOf(cluster, 1)).toHaveLength(1)
      expect(await hashesOf(cluster, number)).toHaveLength(1)
      expect(await cluster.stop(...ALL)).toEqual([0, 0, 0, 0, 0])
    })
  },
  { skip: !RUNTIMES.every(isInstalled) },
)
