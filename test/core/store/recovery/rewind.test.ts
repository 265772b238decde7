import { describe, expect, test } from 'bun:test'
import { openChainStore } from '../../../../core/store/chainStore.ts'
import { keyValueOfDriver } from '../../../../core/store/keyvalue/driverStore.ts'
import { RewindRefused } from '../../../../core/store/recovery/rewind.ts'
import type { RewindableStore } from '../../../../core/store/store.ts'
import { openMemoryDriver } from '../../../../runtime/drivers/memory.ts'
import { expectChain } from '../../../support/stores/storeCheck.ts'
import { sampleChain } from '../../../support/chains/sampleChain.ts'

const BLOCKS = 24
const chain = sampleChain({
  seed: 5,
  blocks: BLOCKS,
  accounts: 12,
  slots: 6,
  changesMax: 5,
  transactionsMax: 3,
})

const memoryStore = () => keyValueOfDriver(openMemoryDriver(), 'none')

const commitFrom = async (store: RewindableStore, first: number): Promise<void> => {
  for (const commit of chain.commits.slice(first)) await store.commit(commit)
}

const refusalOf = async (store: RewindableStore, number: number): Promise<string> => {
  try {
    await store.rewind(BigInt(number))
  } catch (error) {
    if (error instanceof RewindRefused) return error.message
    throw error
  }
  return ''
}

describe('given a store that keeps its last blocks', () => {
  test('when it goes back to any block, then it has the chain up to that block, and goes on from there', async () => {
    const store = await openChainStore(memoryStore(), { rewinds: true })
    await commitFrom(store, 0)
    for (const target of [BLOCKS - 2, 11, 3, 0]) {
      await store.rewind(BigInt(target))
      await expectChain(store, chain, target)
      expect(await store.record(BigInt(target + 1))).toBeUndefined()
      await commitFrom(store, target + 1)
      await expectChain(store, chain, BLOCKS - 1)
    }
  })

  test('when it is opened again after it went back, then the removed blocks are gone', async () => {
    const kv = memoryStore()
    const first = await openChainStore({ ...kv, close: () => Promise.resolve() }, { rewinds: true })
    await commitFrom(first, 0)
    await first.rewind(9n)
    await first.close()
    const second = await openChainStore(kv, { rewinds: true })
    await expectChain(second, chain, 9)
  })

  test('when the views have passed a block, then going back before it is refused, and nothing changes', async () => {
    const store = await openChainStore(memoryStore(), { rewinds: true, flushBlocks: 10 })
    await commitFrom(store, 0)
    await store.flush()
    expect(await refusalOf(store, 3)).toContain('block 3 cannot be the head again')
    await expectChain(store, chain, BLOCKS - 1)
  })
})

describe('given a store of a network', () => {
  test('when it is asked to go back, then it refuses', async () => {
    const store = await openChainStore(memoryStore())
    await commitFrom(store, 0)
    expect(await refusalOf(store, BLOCKS - 2)).toContain('cannot be the head again')
    await expectChain(store, chain, BLOCKS - 1)
  })
})
