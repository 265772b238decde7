import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { type ChainStoreOptions, openChainStore } from '../../../../core/store/chainStore.ts'
import { keyValueOfDriver } from '../../../../core/store/keyvalue/driverStore.ts'
import { HISTORY_PAGE_CHANGES, LOG_SECTION_BLOCKS } from '../../../../core/store/limits.ts'
import { HistoryPruned } from '../../../../core/store/historyPruned.ts'
import type { ChainStore } from '../../../../core/store/store.ts'
import { type SampleChain, sampleChain } from '../../../support/chains/sampleChain.ts'
import { seededRandom } from '../../../support/random.ts'
import { rejection } from '../../../support/rejection.ts'
import {
  createFaultyDriver,
  type DiskOperation,
  type Image,
  imageAfterKill,
  imageAfterPowerCut,
} from '../../../support/stores/faultyDriver.ts'
import { expectChain } from '../../../support/stores/storeCheck.ts'

const chainOf = (seed: number, blocks: number): SampleChain =>
  sampleChain({ seed, blocks, accounts: 6, slots: 2, changesMax: 3, transactionsMax: 2 })

const PRUNED: ChainStoreOptions = { flushBlocks: 4, history: { blocks: 12, stepBlocks: 3 } }
/** Every segment is stored in some ten parts. */
const IN_PARTS: ChainStoreOptions = { ...PRUNED, segmentPartBytes: 100 }

const open = async (image: Image | undefined, options: ChainStoreOptions, synchronous = true) => {
  const disk = createFaultyDriver(image, { synchronous })
  return { disk, store: await openChainStore(keyValueOfDriver(disk.driver, 'synced'), options) }
}

const commit = async (store: ChainStore, { commits }: SampleChain, last: number): Promise<void> => {
  const next = Number(store.head()?.header.number ?? -1n) + 1
  for (const block of commits.slice(next, last + 1)) await store.commit(block)
}

const startOf = (store: ChainStore): number => Number(store.historyStart?.() ?? 0n)

/** Numbers of the blocks besides the genesis block with a key of that kind. */
const numbersOf = (image: Image, kind: string): readonly number[] =>
  [...image.keys()]
    .filter(key => key.startsWith(`${kind}:`))
    .map(key => Number(key.split(':')[1]))
    .filter(number => number > 0)

/** Everything from the start of the history on is as in the chain, and nothing earlier is answered. */
const expectPruned = async (store: ChainStore, chain: SampleChain, head: number): Promise<void> => {
  const start = startOf(store)
  await expectChain(store, chain, head, start)
  for (const number of new Set([1, start - 1]))
    if (number >= 1 && number < start) await expectRemoved(store, chain, BigInt(number))
  expect(await store.record(0n)).toBeDefined()
}

const expectRemoved = async (store: ChainStore, chain: SampleChain, number: bigint): Promise<void> => {
  const reads: readonly (() => unknown)[] = [
    () => store.record(number),
    () => store.logsOf(number),
    () => store.recordBytes(number),
    () => store.blockBytes(number),
    () => store.changesOf(number),
    () => store.searchLogs([], number, number + 1n),
    () => store.searchLogs([], 0n, number),
    () => store.stateAt(number - 1n),
  ]
  for (const read of reads) expect(await rejection((async () => read())())).toBeInstanceOf(HistoryPruned)
  const { block, hash } = chain.commits[Number(number)] as SampleChain['commits'][number]
  expect(await store.hasRecord(number)).toBe(false)
  expect(await store.header(number)).toEqual(block.header)
  expect(await store.numberOfHash(hash)).toBe(number)
  for (const transaction of block.transactions)
    expect(await store.transactionLocation(transaction.hash)).toBeUndefined()
}

/** Nothing is stored of the blocks below the start. */
const expectRoom = (image: Image, start: number, { commits }: SampleChain): void => {
  expect(numbersOf(image, 'segment').filter(number => number < start)).toEqual([])
  expect(numbersOf(image, 'part').filter(number => number < start)).toEqual([])
  const removed = commits.slice(1, start).flatMap(({ block }) => block.transactions)
  const indexed = removed.filter(({ hash }) => image.has(`t:${Buffer.from(hash).toString('hex')}`))
  expect(indexed).toEqual([])
  for (let section = 0; (section + 1) * LOG_SECTION_BLOCKS <= start; section++)
    expect(image.has(`logs:${section}`)).toBe(false)
}

const seeds = fc.integer({ min: 1, max: 1_000_000 })

describe('given a store that keeps its last blocks', () => {
  test('when any chain grows, then all that is kept reads as in a store that keeps everything', async () => {
    await fc.assert(
      fc.asyncProperty(
        seeds,
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 1, max: 9 }),
        fc.boolean(),
        async (seed, blocks, stepBlocks, synchronous) => {
          const chain = chainOf(seed, 150)
          const options = { flushBlocks: 1 + (seed % 7), history: { blocks, stepBlocks } }
          const { disk, store } = await open(undefined, options, synchronous)
          for (const head of [40, 90, 149]) {
            await commit(store, chain, head)
            await store.flush()
            const start = startOf(store)
            expect(head - start + 1).toBeGreaterThanOrEqual(blocks)
            expect(head - start + 1).toBeLessThan(blocks + stepBlocks + 1)
            await expectPruned(store, chain, head)
            expectRoom(disk.image, start, chain)
          }
          await store.close()
        },
      ),
      { numRuns: 12 },
    )
  }, 120_000)

  test('when an account changes in every block, then the pages of its history that end below the start are removed', async () => {
    const chain = chainOf(5, 220)
    const { disk, store } = await open(undefined, PRUNED)
    await commit(store, chain, 219)
    await store.flush()
    const pages = [...disk.image.keys()].filter(key => key.startsWith('h:'))
    // The account has the last changes, of which a page may be full; archives have a page for each 32.
    expect(pages.length).toBeLessThan(220 / HISTORY_PAGE_CHANGES / 2)
    await expectPruned(store, chain, 219)
  })

  test('when it is opened with the option on a chain that kept everything, then it removes what is too old at once', async () => {
    const chain = chainOf(6, 100)
    const archive = await open(undefined, { flushBlocks: 4 })
    await commit(archive.store, chain, 99)
    await archive.store.close()
    const { disk, store } = await open(archive.disk.image, PRUNED)
    await store.flush()
    expect(startOf(store)).toBe(88)
    await expectPruned(store, chain, 99)
    expectRoom(disk.image, 88, chain)
  })

  test('when it is opened without the option, then it keeps what there is, and removes nothing more', async () => {
    const chain = chainOf(7, 100)
    const first = await open(undefined, PRUNED)
    await commit(first.store, chain, 60)
    await first.store.close()
    const { disk, store } = await open(first.disk.image, { flushBlocks: 4 })
    const start = startOf(store)
    await commit(store, chain, 99)
    await store.flush()
    expect(startOf(store)).toBe(start)
    await expectPruned(store, chain, 99)
    expect(Math.min(...numbersOf(disk.image, 'segment'))).toBe(start)
  })

  test('when its views are lost, then it says that they cannot be built without the removed blocks', async () => {
    const chain = chainOf(8, 60)
    const { disk, store } = await open(undefined, PRUNED)
    await commit(store, chain, 59)
    await store.close()
    const segments = new Map([...disk.image].filter(([key]) => /^(?:segment|part|history):/.test(key)))
    const error = await rejection(open(segments, PRUNED))
    expect((error as Error).message).toContain('there are no views, and the blocks before it were removed')
    expect((error as Error).message).toContain('fetches the whole chain from its peers')
  })

  test('when the start of its history is lost, then it says so, and no removed block counts as damaged', async () => {
    const chain = chainOf(12, 60)
    const { disk, store } = await open(undefined, PRUNED)
    await commit(store, chain, 59)
    await store.close()
    const without = (...kinds: readonly string[]) =>
      new Map([...disk.image].filter(([key]) => !kinds.some(kind => key.startsWith(kind))))
    const stores = [
      without('history:'),
      without('history:0', 'history:1'),
      without('history:0', 'history:1', 'mark:', 'intent'),
    ]
    for (const image of stores)
      for (const repairs of [false, true]) {
        const error = await rejection(open(image, { ...PRUNED, repairs }))
        expect((error as Error).message).toContain('it is missing, and old blocks were removed')
        expect((error as Error).message).toContain('put back the folder of the chain from a backup')
      }
  })

  test('when its start is stored, then an earlier release refuses the views', async () => {
    const chain = chainOf(9, 60)
    const { disk, store } = await open(undefined, PRUNED)
    await commit(store, chain, 59)
    await store.flush()
    const heights = ['mark:0', 'mark:1'].map(key => disk.image.get(key)?.[8])
    expect(heights).toContain(2)
  })

  test('when the disk is full in the middle, then no more is removed until there is room, and reads go on', async () => {
    const chain = chainOf(10, 120)
    for (const room of [0, 2_000, 6_000, 12_000, 20_000]) {
      const { disk, store } = await open(undefined, {
        flushBlocks: 200,
        history: { blocks: 20, stepBlocks: 3 },
      })
      await commit(store, chain, 110)
      disk.fillAfter(room)
      await store.flush().catch(() => undefined)
      await expectPruned(store, chain, 110)
      disk.makeRoom()
      await store.retry()
      await commit(store, chain, 119)
      await store.flush()
      expect(startOf(store)).toBe(100)
      await expectPruned(store, chain, 119)
      expectRoom(disk.image, 100, chain)
    }
  })
})

const BLOCKS = 32
/** Stops between two of those after which the chain continues to its end. */
const CONTINUE_EVERY = 13
const crashChain = chainOf(11, BLOCKS)

const recordedRun = async (options: ChainStoreOptions): Promise<readonly DiskOperation[]> => {
  const { disk, store } = await open(undefined, options)
  for (const block of crashChain.commits.slice(0, BLOCKS - 2)) {
    await store.commit(block)
    disk.mark(Number(block.block.header.number))
  }
  await store.flush()
  return disk.operations
}

const committedBefore = (operations: readonly DiskOperation[], stop: number): number => {
  for (let i = stop - 1; i >= 0; i--) {
    const operation = operations[i] as DiskOperation
    if (operation.kind === 'mark') return operation.mark
  }
  return -1
}

describe('given a stop at any write while history is removed', () => {
  for (const [what, options, every] of [
    ['blocks are stored whole', PRUNED, 1],
    ['blocks are stored in parts', IN_PARTS, 7],
  ] as const)
    for (const [how, imageAfter] of [
      ['the process is killed', imageAfterKill],
      ['the power fails', imageAfterPowerCut],
    ] as const)
      test(`when ${what} and ${how}, then what is kept is whole, and the next start goes on`, async () => {
        const operations = await recordedRun(options)
        const first = operations.findIndex(one => one.kind === 'write' && one.key === 'history:0')
        const random = seededRandom(12)
        expect(first).toBeGreaterThan(0)
        for (let stop = first; stop <= operations.length; stop += every) {
          const image = imageAfter(operations, stop, random)
          // Without the option nothing changes while it is compared.
          const kept = await open(image, { ...options, history: undefined }, stop % 2 === 0)
          const head = Number(kept.store.head()?.header.number ?? -1n)
          expect(head).toBeGreaterThanOrEqual(committedBefore(operations, stop))
          await expectPruned(kept.store, crashChain, head)
          if (stop % CONTINUE_EVERY !== 0) continue
          const { disk, store } = await open(image, options, stop % 2 === 0)
          await commit(store, crashChain, BLOCKS - 1)
          await store.flush()
          await expectPruned(store, crashChain, BLOCKS - 1)
          // After a power cut, entries of the views may be left of blocks whose records are gone.
          if (imageAfter === imageAfterKill) expectRoom(disk.image, startOf(store), crashChain)
          await store.close()
        }
      }, 120_000)
})
