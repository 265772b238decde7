import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { openChainStore } from '../../../core/store/chainStore.ts'
import { keyValueOfDriver } from '../../../core/store/keyvalue/driverStore.ts'
import { ADD_STEP_ITEMS, YIELDING_ITEMS } from '../../../core/store/limits.ts'
import type { BlockCommit, ChainStore } from '../../../core/store/store.ts'
import { openMemoryDriver } from '../../../runtime/drivers/memory.ts'
import { sampleChain } from '../../support/chains/sampleChain.ts'
import { expectChain } from '../../support/stores/storeCheck.ts'
import { turns } from '../../support/turns.ts'

/** Each block changes accounts and slots that earlier blocks changed. */
const chain = sampleChain({
  seed: 11,
  blocks: 6,
  accounts: 700,
  slots: 2,
  changesMax: 1500,
  transactionsMax: 1500,
})
const large = chain.commits.filter(({ block }) => block.transactions.length > YIELDING_ITEMS)

/** A store that runs `onPause` at each pause of a commit, with the number of pauses until then. */
const openPausing = async (flushBlocks: number, onPause: (store: ChainStore) => Promise<void>) => {
  let store: ChainStore | undefined
  let isCommitting = false
  let pauses = 0
  const kv = {
    ...keyValueOfDriver(openMemoryDriver(), 'none'),
    pause: async () => {
      if (!isCommitting || store === undefined) return
      pauses++
      isCommitting = false
      await onPause(store)
      isCommitting = true
    },
  }
  store = await openChainStore(kv, { flushBlocks })
  return {
    kv,
    store,
    pauses: () => pauses,
    commit: async (commit: BlockCommit): Promise<void> => {
      isCommitting = true
      await store.commit(commit)
      isCommitting = false
    },
  }
}

/** One test commits the whole chain once for each pause. */
setDefaultTimeout(120_000)

describe('given a commit that pauses', () => {
  test('when they read, then they find the chain as it is without the block, until it is the head', async () => {
    let next = 0
    const { commit, store, pauses } = await openPausing(1000, async amid => {
      if (next === 0) return
      await expectChain(amid, chain, next - 1)
      const { block, hash } = chain.commits[next] as BlockCommit
      expect(await amid.numberOfHash(hash)).toBeUndefined()
      expect(await amid.record(BigInt(next))).toBeUndefined()
      expect(await amid.logsOf(BigInt(next))).toBeUndefined()
      for (const transaction of block.transactions)
        expect(await amid.transactionLocation(transaction.hash)).toBeUndefined()
    })
    for (; next < chain.commits.length; next++) await commit(chain.commits[next] as BlockCommit)
    await expectChain(store, chain, chain.commits.length - 1)
    // Several pauses within the changes of one block.
    expect(large.length).toBeGreaterThan(2)
    expect(pauses()).toBeGreaterThan(large.length * 5)
    expect(Math.max(...chain.commits.map(({ changes }) => changes.accounts.length))).toBeGreaterThan(
      ADD_STEP_ITEMS,
    )
  })

  test('when a flush starts at any pause, then it has all of the block or none of it, also for a store that opens then', async () => {
    let pausesMax = 1
    for (let at = 1; at <= pausesMax; at++) {
      let pause = 0
      let flushed: Promise<void> = Promise.resolve()
      const { commit, store, kv } = await openPausing(1000, async amid => {
        if (++pause === at) flushed = amid.flush()
        await turns(1)
      })
      for (const [number, one] of chain.commits.entries()) {
        pause = 0
        await commit(one)
        pausesMax = Math.max(pausesMax, pause)
        await flushed
        if (number === 3) await expectChain(await openChainStore(kv), chain, number)
      }
      const last = chain.commits.length - 1
      await expectChain(store, chain, last)
      await expectChain(await openChainStore(kv), chain, last)
    }
    expect(pausesMax).toBeGreaterThan(5)
  })
})
