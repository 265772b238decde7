import { describe, test } from 'bun:test'
import memoryDriver from 'unstorage/drivers/memory'
import { openChainStore } from '../../../core/store/chainStore.ts'
import { keyValueOfDriver } from '../../../core/store/driverStore.ts'
import { openMemoryDriver } from '../../../runtime/drivers/memory.ts'
import { sampleChain } from '../../support/sampleChain.ts'
import { expectChain } from '../../support/storeCheck.ts'

const chain = sampleChain({ seed: 7, blocks: 90, accounts: 12, slots: 4, changesMax: 5, transactionsMax: 4 })

describe('a chain store', () => {
  for (const sync of [true, false])
    for (const flushBlocks of [1, 7, 1000])
      test(`reads every block and the state at every height (${sync ? 'synchronous' : 'asynchronous'} reads, a flush every ${flushBlocks} blocks)`, async () => {
        const kv = keyValueOfDriver(sync ? openMemoryDriver() : memoryDriver(), 'none')
        const store = await openChainStore(kv, { flushBlocks })
        for (const commit of chain.commits) await store.commit(commit)
        await expectChain(store, chain, 89)
        await store.flush()
        await expectChain(store, chain, 89)
        const again = await openChainStore(kv, { flushBlocks })
        await expectChain(again, chain, 89)
      })
})
