import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { openChainStore } from '../../../core/store/chainStore.ts'
import { openStorage } from '../../../runtime/drivers/open.ts'
import { seededRandom } from '../../support/random.ts'
import { sampleChain } from '../../support/chains/sampleChain.ts'
import { createSmallDisk } from '../../support/programs/smallDisk.ts'
import { expectChain } from '../../support/stores/storeCheck.ts'

setDefaultTimeout(120_000)

const BLOCKS = 160
const OPTIONS = { flushBlocks: 12 }
const ROUNDS = 6

const chain = sampleChain({
  seed: 31,
  blocks: BLOCKS,
  accounts: 12,
  slots: 3,
  changesMax: 6,
  transactionsMax: 6,
})

/** Mounting one needs rights that not every machine gives. */
const disk = createSmallDisk(32)

describe.skipIf(disk === undefined)('given a chain in SQLite on a disk that fills again and again', () => {
  test('when there is room, then it goes on each time, with every block and state', async () => {
    if (disk === undefined) return
    try {
      const random = seededRandom(6)
      const store = await openChainStore(await openStorage('sqlite', disk.path), OPTIONS)
      let failures = 0
      let next = 0
      for (let round = 0; round < ROUNDS; round++) {
        for (const end = next + 2 + random.below(20); next < Math.min(end, BLOCKS); next++)
          await store.commit(chain.commits[next] as (typeof chain.commits)[0], 'now')
        disk.fill()
        while (store.failure() === undefined && next < BLOCKS) {
          const durable = (['now', 'next', 'soon'] as const)[random.below(3)]
          await store.commit(chain.commits[next] as (typeof chain.commits)[0], durable).catch(() => undefined)
          next = Number(store.head()?.header.number) + 1
        }
        if (store.failure() !== undefined) failures++
        expect(await store.retry().catch((error: Error) => error.name)).not.toBe('TypeError')
        disk.makeRoom()
        await store.retry()
        expect(store.failure()).toBeUndefined()
      }
      expect(failures).toBeGreaterThan(0)
      for (; next < BLOCKS; next++) await store.commit(chain.commits[next] as (typeof chain.commits)[0])
      await store.flush()
      await expectChain(store, chain, BLOCKS - 1)
      await store.close()
      const again = await openChainStore(await openStorage('sqlite', disk.path), OPTIONS)
      await expectChain(again, chain, BLOCKS - 1)
      await again.close()
    } finally {
      disk.remove()
    }
  })
})
