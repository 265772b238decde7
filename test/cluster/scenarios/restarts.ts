import { expect } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { JOURNAL_FILE } from '../../../runtime/node/pool/transactionJournal.ts'
import { networkWithTokens, sendUnauthorizedBodies } from '../../attack/attacks/unauthorizedBodies.ts'
import { encodedTransfer } from '../../attack/transfers.ts'
import { isInstalled, type RuntimeName } from '../../runtime/nodeProcess.ts'
import { seededRandom } from '../../support/random.ts'
import { scenario } from '../../support/scenario.ts'
import { type Cluster, createCluster } from '../support/cluster.ts'
import { doubleSignatures, type ForgettingWay, forgetOnce } from '../support/forget.ts'
import { hashesOf, until, untilBlocks } from '../support/waiting.ts'

const FORGETFUL = 3
const AWAY = 4
/** Transactions that wait while all validators are restarted. */
const ACCEPTED = 20

/** One on each runtime: `bun run attack --only=restored-copy --runtime=node` tries all ways on one. */
const TRIES: readonly (readonly [ForgettingWay, RuntimeName])[] = [
  ['record deleted', 'node'],
  ['folder emptied', 'deno'],
  ['folder restored from a copy', 'bun'],
]

scenario(
  'given validators that are killed, one while the height it signs in is open',
  ({ beforeAll, afterAll, test }) => {
    const folder = mkdtempSync(join(tmpdir(), 'quorate-cluster-'))
    const random = seededRandom(1)
    let cluster: Cluster
    /** Runtimes of those that do not start on Bun. */
    const runtimes = new Map<number, RuntimeName>()

    beforeAll(async () => {
      cluster = await createCluster({
        folder,
        validators: 4,
        nodes: 4,
        runtimeOf: index => runtimes.get(index) ?? 'bun',
        ...networkWithTokens(folder),
      })
      await cluster.start(1, 2, FORGETFUL, AWAY)
    })

    afterAll(async () => {
      await cluster.end()
      rmSync(folder, { recursive: true, force: true })
    })

    test.each(TRIES.filter(([, installed]) => isInstalled(installed)))(
      'when it comes back with its %s, on %s, then it signs nothing twice, and blocks go on with it',
      async (way, one) => {
        runtimes.set(FORGETFUL, one)
        const tried = { index: FORGETFUL, away: AWAY, copy: join(folder, 'copy') }
        await forgetOnce(cluster, tried, way, random)
        expect(doubleSignatures(cluster)).toEqual([])
      },
    )

    test('when all have forgotten at once but for their chains, then blocks go on from where they were', async () => {
      const all = [1, 2, FORGETFUL, AWAY]
      await cluster.start(AWAY)
      const number = await untilBlocks(cluster, 1)
      const [hash] = await hashesOf(cluster, number)
      await cluster.kill(...all)
      for (const index of all)
        rmSync(join(cluster.dataPath(index), 'validator'), { recursive: true, force: true })
      await cluster.start(...all)
      await untilBlocks(cluster, 3)
      expect(await hashesOf(cluster, number)).toEqual([hash ?? ''])
    })

    const hashes: string[] = []

    const untilAllWaitAt = (index: number): Promise<boolean> =>
      until(`the transactions on node ${index}`, async () => {
        const waiting = await cluster.node(index).rpc<readonly unknown[]>('txpool_besuTransactions')
        return waiting.length === ACCEPTED
      })

    test('when all are restarted in turn, by SIGTERM and kill -9, then each fetches the accepted transactions from the others', async () => {
      // They wait for the first nonce, so that no block takes them.
      for (let nonce = 1; nonce <= ACCEPTED; nonce++)
        hashes.push(await cluster.node(1).rpc('eth_sendRawTransaction', encodedTransfer(nonce)))
      for (const index of cluster.running()) await untilAllWaitAt(index)
      await cluster.kill(1)
      // What it kept itself is gone, too: the others have to give them.
      rmSync(join(folder, 'node1', JOURNAL_FILE))
      await cluster.start(1)
      await untilAllWaitAt(1)
      for (const [index, how, runtime] of [
        [2, 'stop', 'bun'],
        [3, 'kill', 'node'],
        [4, 'stop', 'deno'],
      ] as const) {
        await cluster[how](index)
        if (isInstalled(runtime)) runtimes.set(index, runtime)
        await cluster.start(index)
        await untilAllWaitAt(index)
      }
    })

    test('when all are sent bodies with a bad token and bodies that never end, then tokens are judged first, and every transaction is mined', async () => {
      const faults = sendUnauthorizedBodies(
        { cluster, say: () => undefined },
        { seconds: 2, callers: 4, silent: 20, inFlight: 3 },
      )
      await cluster.node(4).rpc('eth_sendRawTransaction', encodedTransfer(0))
      for (const hash of hashes)
        await until(`the receipt of ${hash}`, async () => {
          const receipt = await cluster.node(2).rpc<object | null>('eth_getTransactionReceipt', hash)
          return receipt !== null
        })
      expect(hashes).toHaveLength(ACCEPTED)
      expect(await faults).toEqual([])
      expect(await cluster.stop(1, 2, FORGETFUL, AWAY)).toEqual([0, 0, 0, 0])
    })
  },
)
