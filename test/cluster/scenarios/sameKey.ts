import { expect } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type NodeProcess, startNode } from '../../runtime/nodeProcess.ts'
import { scenario } from '../../support/scenario.ts'
import { type Cluster, createCluster } from '../support/cluster.ts'
import { doubleSignatures, takeCopy } from '../support/forget.ts'
import { enodeOf } from '../support/ownNode.ts'
import { until, untilBlocks } from '../support/waiting.ts'

const COPIED = 2
/** Blocks beside the copy. */
const BLOCKS = 40
const SENTENCE =
  /another node runs with the key of this node, so 3 peers refuse this one .*stop one of the two/i

scenario(
  'given four validators, and a copy of the data folder of one that starts beside it',
  ({ beforeAll, afterAll, test }) => {
    const folder = mkdtempSync(join(tmpdir(), 'quorate-cluster-'))
    const copy = join(folder, 'copy')
    let cluster: Cluster
    let twin: NodeProcess

    beforeAll(async () => {
      cluster = await createCluster({ folder, validators: 4, nodes: 4 })
      await cluster.start(1, COPIED, 3, 4)
      await untilBlocks(cluster, 3)
      await takeCopy(cluster, COPIED, copy)
      twin = await startNode(copy, [
        `--genesis-file=${join(folder, 'genesis.json')}`,
        '--rpc-http-enabled',
        '--rpc-http-api=ETH,NET,QBFT',
        '--p2p-interface=127.0.0.1',
        '--p2p-port=0',
        `--bootnodes=${[1, 3, 4].map(index => enodeOf(cluster.node(index))).join(',')}`,
        '--logging-format=PLAIN',
      ])
    })

    afterAll(async () => {
      await twin.kill()
      await cluster.end()
      rmSync(folder, { recursive: true, force: true })
    })

    /** Of the validators and of the copy. */
    const doubles = (): readonly string[] => [
      ...doubleSignatures(cluster),
      ...twin
        .output()
        .split('\n')
        .filter(line => line.includes('signed two different messages')),
    ]

    test('when blocks go on, then nobody sees two signatures, and the copy says that the key is in use', async () => {
      await untilBlocks(cluster, BLOCKS)
      await until('the error', async () => SENTENCE.test(twin.output()))
      expect(doubles()).toEqual([])
      expect(await cluster.node(COPIED).rpc('net_peerCount')).toBe('0x3')
      const status = await twin.rpc<{ readonly kind: string; readonly explanation: string }>('qbft_getStatus')
      expect(status.kind).toBe('key-in-use')
      expect(status.explanation).toMatch(SENTENCE)
      const readiness = await fetch(`${twin.url}/readiness?minPeers=0`)
      expect(readiness.status).toBe(503)
      expect(await readiness.text()).toMatch(SENTENCE)
    })

    test('when the original ends and then another, then the copy signs in its place, and blocks go on', async () => {
      await cluster.kill(COPIED, 4)
      await untilBlocks(cluster, 3)
      expect(doubles()).toEqual([])
    })
  },
)
