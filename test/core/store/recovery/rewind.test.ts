import { describe, expect, test } from 'bun:test'
import { openChainStore } from '../../../../core/store/chainStore.ts'
import { keyValueOfDriver } from '../../../../core/store/keyvalue/driverStore.ts'
import { RewindRefused } from '../../../../core/store/recovery/rewind.ts'
import type { BlockCommit, RewindableStore } from '../../../../core/store/store.ts'
import { openMemoryDriver } from '../../../../runtime/drivers/memory.ts'
import { expectChain } from '../../../support/stores/storeCheck.ts'
import { sampleChain } from '../../../support/chains/sampleChain.ts'
import { seededRandom } from '../../../support/random.ts'

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

  test('when it goes back and on by random numbers of blocks while views are written, then it has its chain each time', async () => {
    const random = seededRandom(3)
    const store = await openChainStore(memoryStore(), { rewinds: true, flushBlocks: 9 })
    let head = -1
    for (let step = 0; step < 60; step++) {
      const last = Math.min(BLOCKS - 1, head + 1 + random.below(5))
      for (const commit of chain.commits.slice(head + 1, last + 1)) await store.commit(commit)
      head = last
      const target = Math.max(0, head - random.below(6))
      if ((await refusalOf(store, target)) === '') head = target
      await expectChain(store, chain, head, Math.max(0, head - 8))
    }
    await store.flush()
    await expectChain(store, chain, head)
  })

  test('when it goes back by more blocks than it keeps in memory, then BLOCKHASH reaches as far as before', async () => {
    const long = sampleChain({
      seed: 9,
      blocks: 700,
      accounts: 1,
      slots: 1,
      changesMax: 1,
      transactionsMax: 0,
    })
    const store = await openChainStore(memoryStore(), { rewinds: true, flushBlocks: 200 })
    for (const commit of long.commits.slice(0, 300)) await store.commit(commit)
    await store.flush()
    for (const commit of long.commits.slice(300)) await store.commit(commit)
    const target = Number((await refusalOf(store, 0)).match(/blocks (\d+) to/)?.[1])
    await store.rewind(BigInt(target))
    for (let number = Math.max(0, target - 256); number <= target; number++)
      expect(store.recentHash(BigInt(number))).toEqual(long.commits[number]?.hash as Uint8Array)
    expect(store.recentHash(BigInt(target + 1))).toBeUndefined()
  })

  test('when a transaction is in a removed block again, then it is found in the earlier one', async () => {
    const [first, second, third] = chain.commits as readonly [BlockCommit, BlockCommit, BlockCommit]
    const sample = chain.commits.find(({ block }) => block.transactions.length > 0) as BlockCommit
    const { transactions } = sample.block
    const store = await openChainStore(memoryStore(), { rewinds: true })
    const again = (commit: BlockCommit): BlockCommit => ({
      ...commit,
      block: { ...commit.block, transactions },
      senders: sample.senders,
      receipts: sample.receipts,
    })
    await store.commit({ ...first, block: { ...first.block, transactions: [] }, senders: [], receipts: [] })
    await store.commit(again(second))
    await store.commit(again(third))
    await store.rewind(1n)
    expect(await store.transactionLocation(transactions[0]?.hash as Uint8Array)).toEqual({
      blockNumber: 1n,
      index: 0,
    })
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
