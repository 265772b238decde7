import { expect } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { scenario } from '../../support/scenario.ts'
import { runHere } from '../../runtime/commandLine.ts'
import { type Cluster, createCluster } from '../support/cluster.ts'
import { until, untilBlocks } from '../support/waiting.ts'

type Status = { readonly kind: string | null; readonly explanation: string | null }

scenario(
  'given three validators, of which one is down and one has lost what it signed',
  ({ beforeAll, afterAll, test }) => {
    const folder = mkdtempSync(join(tmpdir(), 'quorate-rounds-'))
    let cluster: Cluster

    const explanation = (index: number, kind: string): Promise<string> =>
      until(`${kind} on node ${index}`, async () => {
        const status = await cluster.node(index).rpc<Status>('qbft_getStatus')
        return status.kind === kind && (status.explanation ?? false)
      })
    const short = (index: number): string => cluster.address(index).slice(0, 6)

    beforeAll(async () => {
      cluster = await createCluster({ folder, validators: 3, nodes: 3 })
      await cluster.start(1, 2, 3)
      await untilBlocks(cluster, 3)
      await cluster.kill(2, 3)
      cluster.wipe(2)
      await cluster.start(2)
    })
    afterAll(async () => {
      await cluster.end()
      rmSync(folder, { recursive: true, force: true })
    })

    test('when a quorum is heard, then that one says why it signs nothing, and the other how far its rounds get', async () => {
      // At once: the other one hears no more of it soon, and then says that.
      const [notSigning, roundsFail] = await Promise.all([
        explanation(2, 'not-signing'),
        explanation(1, 'rounds-fail'),
      ])
      expect(notSigning).toMatch(
        /^No block for \d+ s: this validator has started and signs nothing yet: 1 of 2 other validators have reported their height and round, at least 2 are needed/,
      )
      // The one that was killed counts as heard for some seconds more.
      expect(roundsFail).toMatch(
        /^No block for \d+ s: rounds end without a block although [23] of 3 validators are heard; round \d+ took \d+\.\d s: .*; compare the load of the machines \(here \d+\.\d on \d+ processors?\)/,
      )
      expect(roundsFail).toMatch(new RegExp(`${short(2)}|${short(3)}`))
      const { code, out } = await runHere(['doctor', `--url=${cluster.node(2).url}`])
      expect([code, out]).toEqual([1, expect.stringContaining('signs nothing yet')])
    })

    test('when the third one is back, then blocks go on', async () => {
      await cluster.start(3)
      await untilBlocks(cluster, 2)
    })
  },
)
