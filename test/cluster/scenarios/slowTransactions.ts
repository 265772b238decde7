import { expect } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Cluster, createCluster } from '../support/cluster.ts'
import { isInstalled, type RuntimeName } from '../../runtime/nodeProcess.ts'
import { rejection } from '../../support/rejection.ts'
import { scenario } from '../../support/scenario.ts'
import { FREE_GAS, freshKey, SLOW_CODE, slowCreation } from '../support/slowTransactions.ts'
import { hashesOf, until, untilBlocks } from '../support/waiting.ts'

const VALIDATORS = [1, 2, 3, 4]
/** No validator: what its RPC takes reaches the validators from a peer. */
const PEER = 5

const RUNTIMES: readonly RuntimeName[] = ['bun', 'bun', 'node', 'deno', 'bun']

scenario(
  'given four validators on three runtimes, and gas that costs nothing',
  ({ beforeAll, afterAll, test }) => {
    const folder = mkdtempSync(join(tmpdir(), 'quorate-slow-'))
    let cluster: Cluster

    const send = (entry: number, sender: number, what: string): Promise<string> =>
      cluster
        .node(entry)
        .rpc('eth_sendRawTransaction', slowCreation(freshKey(sender), SLOW_CODE[what] as Uint8Array).raw)

    const explanations = (hash: string): Promise<readonly (string | null)[]> =>
      Promise.all(VALIDATORS.map(index => cluster.node(index).rpc<string | null>('txpool_explain', hash)))

    const isDroppedByAll = async (hash: string): Promise<boolean> =>
      (await explanations(hash)).every(text => text?.startsWith('dropped') === true)

    beforeAll(async () => {
      cluster = await createCluster({
        folder,
        validators: 4,
        nodes: 5,
        runtimeOf: index => RUNTIMES[index - 1] as RuntimeName,
        ...FREE_GAS,
      })
      await cluster.start(...VALIDATORS, PEER)
      await untilBlocks(cluster, 2)
    })

    afterAll(async () => {
      await cluster.end()
      rmSync(folder, { recursive: true, force: true })
    })

    test('when an account without a balance sends a loop without an end then each validator stops it twice and drops it', async () => {
      const hash = await send(1, 1, 'a loop')
      await until('the loop to be dropped by all', () => isDroppedByAll(hash))
      await untilBlocks(cluster, 2)
      for (const index of VALIDATORS) {
        const output = cluster.node(index).output()
        expect(output).toContain(`Left transaction ${hash}`)
        expect(output).toContain('It is tried once more, after all others')
        expect(output).toContain('It is dropped, and its sender has to wait 60 seconds')
      }
      expect(await rejection(send(1, 1, 'logs'))).toMatchObject({
        message: expect.stringContaining('Sender has to wait'),
      })
    })

    test('when slow transactions of several kinds come from a peer then blocks go on, and all nodes have the same', async () => {
      const kinds = [
        'a loop inside calls',
        'one large MODEXP',
        'growing memory',
        'writes to the storage',
        'logs',
      ]
      const hashes = await Promise.all(kinds.map((what, index) => send(PEER, 100 + index, what)))
      for (const hash of hashes)
        await until('a validator to stop it', async () =>
          (await explanations(hash)).some(text => text?.includes('stopped')),
        )
      const number = await untilBlocks(cluster, 4)
      expect(await hashesOf(cluster, number)).toHaveLength(1)
    })
  },
  { skip: !RUNTIMES.every(isInstalled) },
)
