import { join } from 'node:path'
import { openStorage } from '../../../runtime/drivers/open.ts'
import { logOf } from '../../../runtime/logging/log.ts'
import { replicatedChain } from '../../../runtime/replicate/replication.ts'
import { replicaTargetsOf } from '../../../runtime/replicate/targets.ts'
import { startReplicationThread } from '../../../runtime/threads/replication/thread.ts'
import { sampleChain } from '../../support/chains/sampleChain.ts'
import type { TestServer } from '../../support/servers/serverProcess.ts'
import { storeChain } from '../../support/stores/storedChain.ts'
import { msText, type Row } from '../measure.ts'

const BLOCKS = 400
/** Blocks before the first that is timed. */
const WARM_UP = 20
/** Between two blocks, so that their copies run beside the next commits. */
const PAUSE_MS = 5

type Timed = {
  readonly name: string
  readonly times: number[]
  readonly growTo: (number: number) => Promise<void>
  readonly close: () => Promise<void>
}

const percentile = (times: readonly number[], share: number): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length * share)] as number

/**
 * The time of a commit to SQLite of the same block, in turns: of a chain that is not replicated, of one that is, and of one
 * whose store is silent.
 */
export const benchCommits = async (
  folder: string,
  server: TestServer,
  silentServer: TestServer,
): Promise<Row> => {
  const sample = sampleChain({
    seed: 5,
    blocks: BLOCKS,
    accounts: 20,
    slots: 2,
    changesMax: 4,
    transactionsMax: 4,
  })
  const open = async (name: string, storage?: string): Promise<Timed> => {
    const stored = await storeChain(sample, 0, await openStorage('sqlite', join(folder, name)))
    const replication =
      storage === undefined
        ? undefined
        : startReplicationThread({
            chain: replicatedChain(stored.chain),
            targets: replicaTargetsOf([storage]),
            log: logOf('replica'),
          })
    const close = async (): Promise<void> => {
      await replication?.stop()
      await stored.close()
    }
    return { name, times: [], growTo: stored.growTo, close }
  }
  const chains = [
    await open('alone'),
    await open('replicated', `redis?url=${server.url}`),
    await open('silent store', `redis?url=${silentServer.url}`),
  ]
  silentServer.suspend()
  try {
    for (let number = 1; number < BLOCKS; number++) {
      // Another one first each time.
      for (let turn = 0; turn < chains.length; turn++) {
        const { times, growTo } = chains[(number + turn) % chains.length] as Timed
        const startMs = performance.now()
        await growTo(number)
        if (number >= WARM_UP) times.push(performance.now() - startMs)
      }
      await Bun.sleep(PAUSE_MS)
    }
  } finally {
    silentServer.resume()
    for (const { close } of chains) await close()
  }
  return {
    name: 'commit of a block, ms',
    values: Object.fromEntries(
      chains.flatMap(({ name, times }) => [
        [`${name}, p50`, msText(percentile(times, 0.5))],
        [`${name}, p99`, msText(percentile(times, 0.99))],
      ]),
    ),
  }
}
