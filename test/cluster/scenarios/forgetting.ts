import { expect } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isInstalled, type RuntimeName } from '../../runtime/nodeProcess.ts'
import { seededRandom } from '../../support/random.ts'
import { scenario } from '../../support/scenario.ts'
import { type Cluster, createCluster } from '../support/cluster.ts'
import { doubleSignatures, type ForgettingWay, forgetOnce } from '../support/forget.ts'
import { hashesOf, untilBlocks } from '../support/waiting.ts'

const FORGETFUL = 3
const AWAY = 4

/** Each way on one runtime, and the one that keeps a record, an old one, on all of them. */
const TRIES: readonly (readonly [ForgettingWay, RuntimeName])[] = [
  ['views deleted', 'bun'],
  ['record deleted', 'node'],
  ['folder emptied', 'deno'],
  ['folder restored from a copy', 'bun'],
  ['folder restored from a copy', 'node'],
  ['folder restored from a copy', 'deno'],
]

scenario(
  'given a validator that is killed while the height it signs in is open',
  ({ beforeAll, afterAll, test }) => {
    const folder = mkdtempSync(join(tmpdir(), 'quorate-cluster-'))
    const random = seededRandom(1)
    let cluster: Cluster
    let runtime: RuntimeName = 'bun'

    beforeAll(async () => {
      cluster = await createCluster({
        folder,
        validators: 4,
        nodes: 4,
        runtimeOf: index => (index === FORGETFUL ? runtime : 'bun'),
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
        runtime = one
        const tried = { index: FORGETFUL, away: AWAY, copy: join(folder, 'copy') }
        await forgetOnce(cluster, tried, way, random)
        expect(doubleSignatures(cluster)).toEqual([])
      },
    )

    test('when all have forgotten at once but for their chains then blocks go on from where they were', async () => {
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
      expect(await cluster.stop(...all)).toEqual([0, 0, 0, 0])
    })
  },
)
