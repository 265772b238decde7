import { describe, expect, test } from 'bun:test'
import { openChainStore } from '../../../../core/store/chainStore.ts'
import { StoreCorruption } from '../../../../core/store/checksum.ts'
import { keyValueOfDriver } from '../../../../core/store/keyvalue/driverStore.ts'
import { StoreFailed } from '../../../../core/store/storeFailed.ts'
import type { BlockCommit, ChainStore } from '../../../../core/store/store.ts'
import {
  createFaultyDriver,
  type FaultyDriver,
  imageAfterPowerCut,
} from '../../../support/stores/faultyDriver.ts'
import { seededRandom } from '../../../support/random.ts'
import { rejection } from '../../../support/rejection.ts'
import { sampleChain } from '../../../support/chains/sampleChain.ts'
import { expectChain } from '../../../support/stores/storeCheck.ts'

const BLOCKS = 44
const OPTIONS = { flushBlocks: 5 }

const chain = sampleChain({
  seed: 23,
  blocks: BLOCKS,
  accounts: 7,
  slots: 2,
  changesMax: 3,
  transactionsMax: 2,
})

const blockAt = (number: number): BlockCommit => chain.commits[number] as BlockCommit

const diskWith = async (blocks: number): Promise<FaultyDriver> => {
  const disk = createFaultyDriver(undefined, { synchronous: true })
  const store = await openChainStore(keyValueOfDriver(disk.driver, 'synced'), OPTIONS)
  for (let number = 0; number < blocks; number++) await store.commit(blockAt(number))
  await store.flush()
  return disk
}

/** Opens the store and reads everything; returns the error of a refusal. */
const refusal = async (disk: FaultyDriver, head: number): Promise<unknown> => {
  try {
    const store = await openChainStore(keyValueOfDriver(disk.driver, 'synced'), OPTIONS)
    await expectChain(store, chain, head)
    return undefined
  } catch (error) {
    return error
  }
}

describe('given a bit that flips on read', () => {
  test('when it is in any record, then the error names the record, or it was not needed, and no read is wrong', async () => {
    const disk = await diskWith(BLOCKS - 1)
    const random = seededRandom(5)
    let found = 0
    const unneeded = new Set<string>()
    for (const [key, value] of disk.image) {
      disk.flipBit(key, random.below(8 * value.length))
      const error = await refusal(disk, BLOCKS - 2)
      disk.unflip()
      if (error === undefined) unneeded.add(key.replace(/[:].*/, ''))
      else {
        // Anything else, above all an assertion, would mean that a wrong value was served.
        expect(error).toBeInstanceOf(StoreCorruption)
        expect((error as StoreCorruption).key).toBe(key)
        found++
      }
    }
    expect(found).toBeGreaterThan(200)
    // Only records that a start repairs from others, or that this test does not read: indexes of the last blocks and old trie records.
    for (const kind of unneeded) expect(['journal', 'intent', 'mark', 'n', 'c', 't']).toContain(kind)
  }, 120_000)

  test('when it is in a segment or header, then the error names the block and what to do', async () => {
    const disk = await diskWith(30)
    const store = await openChainStore(keyValueOfDriver(disk.driver, 'synced'), OPTIONS)
    disk.flipBit('segment:12', -3)
    const error = await rejection(store.record(12n))
    expect(error).toBeInstanceOf(StoreCorruption)
    expect(error).toMatchObject({ code: 'STORE_CORRUPTION', key: 'segment:12', block: 12 })
    expect(String(error)).toContain('delete its chain folder')
    expect(await store.record(13n)).toBeDefined()
  })

  test('when it is in a segment above the views, then the start stops, unless it is the topmost, which counts as torn', async () => {
    const disk = createFaultyDriver()
    const store = await openChainStore(keyValueOfDriver(disk.driver, 'synced'), { flushBlocks: 100 })
    for (let number = 0; number < 20; number++) await store.commit(blockAt(number))
    disk.flipBit('segment:18', 99)
    expect(await refusal(disk, 19)).toMatchObject({ code: 'STORE_CORRUPTION', key: 'segment:18', block: 18 })
    disk.unflip()
    disk.flipBit('segment:19', 99)
    expect(await refusal(disk, 18)).toBeUndefined()
  })
})

describe('given a full disk', () => {
  test('when it fills at any point, then commits are refused, nothing is lost, and the chain continues with room', async () => {
    const random = seededRandom(77)
    for (let round = 0; round < 60; round++) {
      const disk = createFaultyDriver(undefined, { synchronous: round % 2 === 0 })
      const store = await openChainStore(keyValueOfDriver(disk.driver, 'synced'), OPTIONS)
      let committed = -1
      let failure: unknown
      disk.fillAfter(500 + random.below(60_000))
      while (committed < BLOCKS - 2 && failure === undefined) {
        try {
          await store.commit(blockAt(committed + 1))
          committed++
        } catch (error) {
          failure = error
        }
      }
      await store.flush().catch(() => {})
      if (failure !== undefined) {
        expect(failure).toBeInstanceOf(StoreFailed)
        expect((failure as StoreFailed).message).toContain('no space left on device')
        expect(String(await rejection(store.commit(blockAt(committed + 1))))).toContain(
          'no block is committed until',
        )
      }
      expect(Number(store.head()?.header.number ?? -1n)).toBe(committed)
      disk.makeRoom()
      const again = await openChainStore(keyValueOfDriver(disk.driver, 'synced'), OPTIONS)
      expect(Number(again.head()?.header.number ?? -1n)).toBe(committed)
      for (const commit of chain.commits.slice(committed + 1)) await again.commit(commit)
      await expectChain(again, chain, BLOCKS - 1)
    }
  }, 120_000)

  test('when the disk has room again, then a retry writes the missing data without a restart', async () => {
    const random = seededRandom(78)
    for (let round = 0; round < 60; round++) {
      const disk = createFaultyDriver(undefined, { synchronous: round % 2 === 0 })
      const store = await openChainStore(keyValueOfDriver(disk.driver, 'synced'), OPTIONS)
      const told: StoreFailed[] = []
      store.onFailed(failure => told.push(failure))
      let committed = -1
      for (let fills = 0; fills < 3; fills++) {
        disk.fillAfter(500 + random.below(30_000))
        while (committed < BLOCKS - 2 && store.failure() === undefined) {
          const durable = (['now', 'next', 'soon'] as const)[random.below(3)]
          await store.commit(blockAt(committed + 1), durable).catch(() => undefined)
          committed = Number(store.head()?.header.number ?? -1n)
        }
        if (store.failure() !== undefined) {
          expect(await rejection(store.retry())).toBeInstanceOf(StoreFailed)
          expect(told).toHaveLength(fills + 1)
        }
        disk.makeRoom()
        await store.retry()
        expect(store.failure()).toBeUndefined()
        expect(Number(store.head()?.header.number ?? -1n)).toBe(committed)
      }
      for (const commit of chain.commits.slice(committed + 1)) await store.commit(commit)
      await store.flush()
      await expectChain(store, chain, BLOCKS - 1)
      const again = await openChainStore(keyValueOfDriver(disk.driver, 'synced'), OPTIONS)
      await expectChain(again, chain, BLOCKS - 1)
    }
  }, 120_000)

  test('when the process stops within a retry, then nothing durable is lost', async () => {
    const random = seededRandom(79)
    for (let round = 0; round < 60; round++) {
      const disk = createFaultyDriver()
      const store = await openChainStore(keyValueOfDriver(disk.driver, 'synced'), OPTIONS)
      disk.fillAfter(500 + random.below(60_000))
      for (let number = 0; number < BLOCKS && store.failure() === undefined; number++)
        await store.commit(blockAt(number)).catch(() => undefined)
      await store.flush().catch(() => undefined)
      const committed = Number(store.head()?.header.number ?? -1n)
      const before = disk.operations.length
      disk.makeRoom()
      await store.retry()
      const stop = before + random.below(disk.operations.length - before + 1)
      const image = imageAfterPowerCut(disk.operations, stop, random)
      const again = await openChainStore(
        keyValueOfDriver(createFaultyDriver(image).driver, 'synced'),
        OPTIONS,
      )
      expect(Number(again.head()?.header.number ?? -1n)).toBeGreaterThanOrEqual(committed)
      if (committed >= 0) await expectChain(again, chain, Number(again.head()?.header.number))
    }
  }, 120_000)

  test('when it fills within a flush, then every block and state stays readable', async () => {
    const beforeFlush = async (): Promise<{ readonly disk: FaultyDriver; readonly store: ChainStore }> => {
      const disk = createFaultyDriver(undefined, { synchronous: true })
      const store = await openChainStore(keyValueOfDriver(disk.driver, 'synced'), { flushBlocks: 1000 })
      for (let number = 0; number < 40; number++) {
        if (number === 30) await store.flush()
        await store.commit(blockAt(number))
      }
      return { disk, store }
    }
    const whole = await beforeFlush()
    const before = whole.disk.operations.length
    await whole.store.flush()
    const sizes = whole.disk.operations
      .slice(before)
      .map(operation => (operation.kind === 'write' ? (operation.value?.length ?? 0) : 0))
    for (let share = 0.4; share < 1; share += 0.05) {
      const { disk, store } = await beforeFlush()
      disk.fillAfter(Math.floor(share * sizes.reduce((sum, size) => sum + size, 0)))
      expect(await rejection(store.flush())).toBeInstanceOf(StoreFailed)
      await expectChain(store, chain, 39)
    }
  })
})

describe('given a driver whose partial writes are visible', () => {
  test('when a flush writes, then reads of the past are right', async () => {
    const disk = createFaultyDriver()
    const { driver } = disk
    const half = new Set<string>()
    const slow: typeof driver = {
      ...driver,
      // First the start of the value, then, after other work has run, all of it; as files are written.
      setItemRaw: async (key, value: Uint8Array, options) => {
        await driver.setItemRaw?.(key, value.subarray(0, value.length >> 1), options)
        if (/^[ash]:/.test(key)) half.add(key)
        await new Promise(resolve => setImmediate(resolve))
        await driver.setItemRaw?.(key, value, options)
        half.delete(key)
      },
    }
    const open = (): Promise<ChainStore> =>
      openChainStore(keyValueOfDriver(slow, 'process'), { flushBlocks: 1000 })
    let store = await open()
    for (let number = 0; number < 40; number++) {
      await store.commit(blockAt(number))
      if (number % 10 !== 9) continue
      // Opened again, so that no cache has what the flush will replace.
      store = await open()
      const flush = { done: false }
      const flushed = store.flush().finally(() => {
        flush.done = true
      })
      while (!flush.done) {
        // Not earlier, because a cache would hide the effect.
        if (half.size > 0) await expectChain(store, chain, number)
        await new Promise(resolve => setImmediate(resolve))
      }
      await flushed
    }
    await expectChain(store, chain, 39)
  }, 120_000)
})
