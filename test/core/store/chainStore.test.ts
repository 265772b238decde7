import { describe, expect, test } from 'bun:test'
import memoryDriver from 'unstorage/drivers/memory'
import { decodeBlock } from '../../../core/block/codec/block.ts'
import { openChainStore } from '../../../core/store/chainStore.ts'
import { keyValueOfDriver } from '../../../core/store/keyvalue/driverStore.ts'
import type { KeyValueEntry } from '../../../core/store/keyvalue/keyvalue.ts'
import { PENDING_BLOCKS_MAX, RECENT_BLOCKS } from '../../../core/store/limits.ts'
import { openSegment, segmentRecord } from '../../../core/store/segments/segment.ts'
import type { BlockCommit, ChainStore } from '../../../core/store/store.ts'
import { openMemoryDriver } from '../../../runtime/drivers/memory.ts'
import { rejection } from '../../support/rejection.ts'
import { type SampleChain, sampleChain } from '../../support/chains/sampleChain.ts'
import { expectChain } from '../../support/stores/storeCheck.ts'

const chain = sampleChain({ seed: 7, blocks: 90, accounts: 12, slots: 4, changesMax: 5, transactionsMax: 4 })

const blockAt = (number: number, of: SampleChain = chain): BlockCommit => of.commits[number] as BlockCommit

const storeWith = async (blocks: number, flushBlocks = 7): Promise<ChainStore> => {
  const store = await openChainStore(keyValueOfDriver(openMemoryDriver(), 'none'), { flushBlocks })
  for (let number = 0; number < blocks; number++) await store.commit(blockAt(number))
  return store
}

describe('given a chain store', () => {
  for (const [what, openDriver] of [
    ['synchronous', openMemoryDriver],
    ['asynchronous', memoryDriver],
  ] as const)
    for (const flushBlocks of [1, 7, 1000])
      test(`when it has ${what} reads and flushes every ${flushBlocks} blocks, then every block and every state can be read`, async () => {
        const kv = keyValueOfDriver(openDriver(), 'none')
        const store = await openChainStore(kv, { flushBlocks })
        for (const commit of chain.commits) await store.commit(commit)
        await expectChain(store, chain, 89)
        await store.flush()
        await expectChain(store, chain, 89)
        await expectChain(await openChainStore(kv, { flushBlocks }), chain, 89)
      })

  test('when blocks become durable together, then each can be read at once, and all are there when it has settled', async () => {
    for (const inOneStep of [false, true]) {
      let writes = 0
      const memory = keyValueOfDriver(openMemoryDriver(), 'none')
      const kv = {
        ...memory,
        setDurably: (entry: KeyValueEntry) => {
          writes++
          return memory.setDurably(entry)
        },
        setAllDurably: inOneStep
          ? (entries: readonly KeyValueEntry[]) => {
              writes++
              return memory.set(entries)
            }
          : undefined,
      }
      const store = await openChainStore(kv, { flushBlocks: 1000 })
      await store.commit(blockAt(0))
      for (let number = 1; number < 40; number++) await store.commit(blockAt(number), 'soon')
      expect(writes).toBe(1)
      await expectChain(store, chain, 39)
      expect(await store.blockBytes(39n)).toBeDefined()
      await store.settle()
      expect(writes).toBe(inOneStep ? 2 : 40)
      await expectChain(await openChainStore(kv, { flushBlocks: 1000 }), chain, 39)
      for (let number = 40; number < 90; number++) await store.commit(blockAt(number), 'soon')
      await store.flush()
      await expectChain(await openChainStore(kv, { flushBlocks: 1000 }), chain, 89)
    }
  })

  test('when it is new, then it has no head, no genesis and no blocks', async () => {
    const store = await storeWith(0)
    expect(store.head()).toBeUndefined()
    expect(store.genesisHash()).toBeUndefined()
    expect(await store.header(0n)).toBeUndefined()
    expect(await store.record(0n)).toBeUndefined()
    expect(() => store.stateAt(0n)).toThrow('there is no block 0')
  })

  test('when it has a genesis hash, then another chain’s data directory is recognised', async () => {
    const kv = keyValueOfDriver(openMemoryDriver(), 'none')
    const store = await openChainStore(kv, { flushBlocks: 3 })
    for (let number = 0; number < 10; number++) await store.commit(blockAt(number))
    expect(store.genesisHash()).toEqual(blockAt(0).hash)
    await store.flush()
    expect((await openChainStore(kv)).genesisHash()).toEqual(blockAt(0).hash)
  })

  test('when a segment is read, then it gives its bytes, its block, and the block’s changes', async () => {
    const store = await storeWith(20)
    const { block, hash, changes } = blockAt(11)
    const segment = openSegment((await store.recordBytes(11n)) as Uint8Array)
    expect(segmentRecord(segment).hash).toEqual(hash)
    expect(decodeBlock((await store.blockBytes(11n)) as Uint8Array)).toEqual(block)
    expect(await store.changesOf(11n)).toEqual(changes)
    expect(await store.changesOf(20n)).toBeUndefined()
    expect(await store.blockBytes(20n)).toBeUndefined()
  })

  test('when BLOCKHASH needs hashes, then they are in memory, even after a start', async () => {
    const long = sampleChain({
      seed: 3,
      blocks: 300,
      accounts: 2,
      slots: 0,
      changesMax: 0,
      transactionsMax: 0,
    })
    const kv = keyValueOfDriver(openMemoryDriver(), 'none')
    const first = await openChainStore(kv, { flushBlocks: 20 })
    for (const commit of long.commits) await first.commit(commit)
    await first.flush()
    for (const store of [first, await openChainStore(kv)]) {
      for (let number = 299 - RECENT_BLOCKS + 1; number < 300; number++)
        expect(store.recentHash(BigInt(number))).toEqual(blockAt(number, long).hash)
      expect(store.recentHash(300n)).toBeUndefined()
      expect(await store.header(5n)).toEqual(blockAt(5, long).block.header)
    }
  })

  test('when a block is not the next one, then it is refused and nothing is written', async () => {
    const store = await storeWith(5)
    expect(String(await rejection(store.commit(blockAt(6))))).toContain('block 6 is not the next one, 5')
    expect(String(await rejection(store.commit(blockAt(4))))).toContain('block 4 is not the next one, 5')
    const strange = { ...blockAt(5).block.header, parentHash: blockAt(3).hash }
    expect(
      String(
        await rejection(store.commit({ ...blockAt(5), block: { ...blockAt(5).block, header: strange } })),
      ),
    ).toContain('does not follow the head')
    await expectChain(store, chain, 4)
  })

  test('when a commit runs, then another is refused', async () => {
    const store = await storeWith(5)
    const first = store.commit(blockAt(5))
    expect(String(await rejection(store.commit(blockAt(6))))).toContain('another commit is running')
    await first
    expect(store.head()?.header.number).toBe(5n)
  })

  test('when the head advances, then a reader stays at its height', async () => {
    const store = await storeWith(10)
    const reader = store.stateAt(9n)
    const address = chain.addresses[0] as Uint8Array
    const before = reader.account(address)
    for (let number = 10; number < 40; number++) {
      await store.commit(blockAt(number))
      expect(reader.account(address)).toEqual(before)
    }
    expect(store.stateAt(39n).account(address)).not.toEqual(before)
  })

  test('when a block is committed, then no cache has an old value', async () => {
    for (const openDriver of [openMemoryDriver, memoryDriver]) {
      const store = await openChainStore(keyValueOfDriver(openDriver(), 'none'), { flushBlocks: 2 })
      for (let number = 0; number < 60; number++) {
        await store.commit(blockAt(number))
        for (const address of chain.addresses)
          expect(await store.run(() => store.stateAt(BigInt(number)).account(address))).toEqual(
            chain.states[number]?.accounts.get(Buffer.from(address).toString('hex')),
          )
      }
    }
  })

  test('when a long chain is opened, then no segments are read', async () => {
    const long = sampleChain({
      seed: 9,
      blocks: 700,
      accounts: 2,
      slots: 0,
      changesMax: 0,
      transactionsMax: 0,
    })
    const memory = openMemoryDriver()
    const store = await openChainStore(keyValueOfDriver(memory, 'none'), { flushBlocks: 50 })
    for (const commit of long.commits) await store.commit(commit)
    await store.flush()
    const kv = keyValueOfDriver(memory, 'none')
    const read: string[] = []
    const counting = {
      ...kv,
      get: (key: string) => {
        read.push(key)
        return kv.get(key)
      },
    }
    expect((await openChainStore(counting)).head()?.header.number).toBe(699n)
    expect(read.filter(key => key.startsWith('segment:'))).toEqual([
      'segment:699',
      'segment:700',
      'segment:701',
    ])
    expect(read.length).toBeLessThan(RECENT_BLOCKS + 20)
  })

  test('when the views are too far behind, then a commit waits, so that no start has more to replay', async () => {
    const long = sampleChain({
      seed: 13,
      blocks: PENDING_BLOCKS_MAX + 2,
      accounts: 1,
      slots: 0,
      changesMax: 0,
      transactionsMax: 0,
    })
    const kv = keyValueOfDriver(openMemoryDriver(), 'none')
    let release = (): void => {}
    const released = new Promise<void>(resolve => {
      release = resolve
    })
    const slow = { ...kv, set: (entries: readonly KeyValueEntry[]) => released.then(() => kv.set(entries)) }
    const store = await openChainStore(slow)
    for (let number = 0; number < PENDING_BLOCKS_MAX; number++) await store.commit(blockAt(number, long))
    const state = { committed: false }
    const waiting = store.commit(blockAt(PENDING_BLOCKS_MAX, long)).then(() => {
      state.committed = true
    })
    await new Promise(resolve => setImmediate(resolve))
    expect(state.committed).toBe(false)
    expect(store.head()?.header.number).toBe(BigInt(PENDING_BLOCKS_MAX - 1))
    release()
    await waiting
    expect(store.head()?.header.number).toBe(BigInt(PENDING_BLOCKS_MAX))
  })

  test('when the views are deleted, then they are rebuilt', async () => {
    const memory = openMemoryDriver()
    const kv = keyValueOfDriver(memory, 'none')
    const store = await openChainStore(kv, { flushBlocks: 5 })
    for (const commit of chain.commits) await store.commit(commit)
    await store.flush()
    for (const key of await memory.getKeys('', {}))
      if (!key.startsWith('segment:')) await memory.removeItem?.(key, {})
    const again = await openChainStore(kv, { flushBlocks: 5 })
    await again.flush()
    await expectChain(again, chain, 89)
    await expectChain(await openChainStore(kv), chain, 89)
  })

  test('when segments below the views are missing, then it does not start', async () => {
    const memory = openMemoryDriver()
    const kv = keyValueOfDriver(memory, 'none')
    const store = await openChainStore(kv, { flushBlocks: 5 })
    for (let number = 0; number < 20; number++) await store.commit(blockAt(number))
    await store.flush()
    await memory.removeItem?.('segment:19', {})
    expect(String(await rejection(openChainStore(kv)))).toContain('segment:19 of block 19')
  })
})
