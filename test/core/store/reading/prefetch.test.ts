import { describe, expect, test } from 'bun:test'
import { openChainStore } from '../../../../core/store/chainStore.ts'
import { keyValueOfDriver } from '../../../../core/store/keyvalue/driverStore.ts'
import { updateStateRoot } from '../../../../core/trie/state/stateRoot.ts'
import { createFaultyDriver } from '../../../support/stores/faultyDriver.ts'
import { modelAccount, sampleChain } from '../../../support/chains/sampleChain.ts'

const BLOCKS = 30
const chain = sampleChain({
  seed: 61,
  blocks: BLOCKS,
  accounts: 40,
  slots: 2,
  changesMax: 12,
  transactionsMax: 2,
})

describe('given a prefetch', () => {
  for (const synchronous of [true, false])
    test(`when the next block runs over a ${synchronous ? 'synchronous' : 'asynchronous'} store, then everything is in memory`, async () => {
      const disk = createFaultyDriver(undefined, { synchronous })
      const first = await openChainStore(keyValueOfDriver(disk.driver, 'synced'))
      for (const commit of chain.commits.slice(0, BLOCKS - 1)) await first.commit(commit)
      await first.flush()
      const kv = keyValueOfDriver(disk.driver, 'synced')
      const { getSync } = kv
      const reads: string[] = []
      const store = await openChainStore({
        ...kv,
        getSync:
          getSync &&
          (key => {
            reads.push(key)
            return getSync(key)
          }),
        get: key => {
          reads.push(key)
          return kv.get(key)
        },
      })
      const { changes, block } = chain.commits[BLOCKS - 1] as (typeof chain.commits)[number]
      const addresses = changes.accounts.map(({ address }) => address)
      reads.length = 0
      await store.prefetch(addresses)
      expect(reads.some(key => key.startsWith('a:'))).toBe(true)
      expect(reads.some(key => key.startsWith('n:'))).toBe(true)
      reads.length = 0
      const state = chain.states[BLOCKS - 2] as (typeof chain.states)[number]
      await store.run(() => {
        const reader = store.stateAt(BigInt(BLOCKS - 2))
        for (const address of addresses)
          expect(reader.account(address)).toEqual(modelAccount(state, address) as never)
      })
      expect(reads).toEqual([])
      const parent = store.head()?.header.stateRoot as Uint8Array
      const update = await store.run(() => updateStateRoot(store.nodes(), parent, changes))
      expect(update.root).toEqual(block.header.stateRoot)
      await store.close()
    })

  test('when the store has no chain, then it reads nothing', async () => {
    const store = await openChainStore(keyValueOfDriver(createFaultyDriver().driver, 'synced'))
    await store.prefetch([new Uint8Array(20)])
    await store.close()
  })
})
