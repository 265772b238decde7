import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hashesOf, untilBlocks } from '../../cluster/support/waiting.ts'
import { HAS_POSTGRESQL } from '../../support/servers/postgresql.ts'
import { HAS_REDIS } from '../../support/servers/redis.ts'
import { until } from '../../support/until.ts'
import { type ReplicatedNetwork, startReplicatedNetwork } from './replicatedNetwork.ts'
import { DISTURBANCES } from './sharedStores.ts'

setDefaultTimeout(240_000)

const PHASE_BLOCKS = 6

/** The rest, at length and with the intervals between blocks: storeCampaign.ts. */
const PHASES = DISTURBANCES.filter(({ what }) => ['killed', 'full', 'restarted empty'].includes(what))

describe.skipIf(!HAS_REDIS || !HAS_POSTGRESQL)(
  'given four validators, and a node that follows them, when one of them and that node fill shared stores',
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'quorate-replicas-'))
    let network: ReplicatedNetwork

    beforeAll(async () => {
      network = await startReplicatedNetwork({ folder, blockPeriodMs: 500 })
    })
    afterAll(async () => {
      await network?.end()
      rmSync(folder, { recursive: true, force: true })
    })

    test.each([...PHASES])(
      'when the stores are $what, then blocks go on, the reason is told, and the stores get all blocks afterwards',
      async ({ begin, end }) => {
        const { cluster, stores, fillerOf, lagOf, untilCaughtUp } = network
        for (const store of stores) await begin(store)
        const last = await untilBlocks(cluster, PHASE_BLOCKS)
        expect((await hashesOf(cluster, last)).length).toBe(1)
        for (const index of stores.keys()) {
          await until(async () => typeof (await lagOf(index)).reason === 'string', { what: 'a reason' })
          expect((await lagOf(index)).blocks).toBeGreaterThan(0)
          const isLogged = (): boolean => fillerOf(index).output().includes('gets no blocks: ')
          await until(isLogged, { what: 'a line of the log' })
        }
        for (const store of stores) await end(store)
        await untilCaughtUp()
        for (const index of stores.keys()) expect(fillerOf(index).output()).toContain('takes blocks again')
      },
    )

    test('then the stores have every block and state of the network, and a reader that proves all agrees', async () => {
      expect(await network.stopSending()).toBeGreaterThan(PHASE_BLOCKS)
      expect(await network.differences()).toEqual([])
    })
  },
)
