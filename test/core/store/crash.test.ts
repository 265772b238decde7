import { describe, expect, test } from 'bun:test'
import { type ChainStoreOptions, openChainStore } from '../../../core/store/chainStore.ts'
import { keyValueOfDriver } from '../../../core/store/keyvalue/driverStore.ts'
import type { BlockCommit, ChainStore, Durable } from '../../../core/store/store.ts'
import {
  createFaultyDriver,
  type DiskOperation,
  type Image,
  imageAfterKill,
  imageAfterPowerCut,
} from '../../support/stores/faultyDriver.ts'
import { seededRandom } from '../../support/random.ts'
import { sampleChain } from '../../support/chains/sampleChain.ts'
import { expectChain } from '../../support/stores/storeCheck.ts'

const BLOCKS = 38
/** Number of blocks that the first run commits; the others continue after a stop. */
const COMMITTED = 36
const OPTIONS = { flushBlocks: 4 }
/** Every segment is stored in some ten parts. */
const IN_PARTS = { ...OPTIONS, segmentPartBytes: 100 }
/** Blocks of a run in parts: each has many operations. */
const COMMITTED_IN_PARTS = 9
/** Stops between two of those after which the chain continues to its end. */
const CONTINUE_EVERY = 25
/** Stops, of those that leave an unfinished flush, between two whose recovery is stopped at each of its operations, too. */
const STOP_AGAIN_EVERY = 40

// One account changes in every block, so that its history fills a page (HISTORY_PAGE_CHANGES) during the run.
const chain = sampleChain({
  seed: 41,
  blocks: BLOCKS,
  accounts: 6,
  slots: 2,
  changesMax: 3,
  transactionsMax: 1,
})

const blockAt = (number: number): BlockCommit => chain.commits[number] as BlockCommit

/**
 * All disk operations of a run of the chain, with a mark after each commit that is durable when it resolves: every one, or
 * one of several; with `next`, the commit before.
 */
const recordedRun = async (
  durableEvery: number,
  otherwise: Durable = 'soon',
  { options = OPTIONS, blocks = COMMITTED }: { options?: ChainStoreOptions; blocks?: number } = {},
): Promise<readonly DiskOperation[]> => {
  const disk = createFaultyDriver()
  const store = await openChainStore(keyValueOfDriver(disk.driver, 'synced'), options)
  for (let number = 0; number < blocks; number++) {
    const isDurable = number % durableEvery === 0
    await store.commit(blockAt(number), isDurable ? 'now' : otherwise)
    if (isDurable) disk.mark(number)
    else if (otherwise === 'next') disk.mark(number - 1)
  }
  await store.flush()
  return disk.operations
}

/** The last block whose commit had resolved before that operation. */
const committedBefore = (operations: readonly DiskOperation[], stop: number): number => {
  for (let i = stop - 1; i >= 0; i--) {
    const operation = operations[i] as DiskOperation
    if (operation.kind === 'mark') return operation.mark
  }
  return -1
}

const open = async (
  image: Image,
  synchronous: boolean,
  options: ChainStoreOptions = OPTIONS,
): Promise<{
  readonly store: ChainStore
  readonly operations: readonly DiskOperation[]
  readonly image: Image
}> => {
  const disk = createFaultyDriver(image, { synchronous })
  const store = await openChainStore(keyValueOfDriver(disk.driver, 'synced'), options)
  return { store, operations: [...disk.operations], image: disk.image }
}

/** A block whose commit had resolved must be stored, any other may be. Returns the head. */
const expectPromise = async (store: ChainStore, committed: number): Promise<number> => {
  const head = Number(store.head()?.header.number ?? -1n)
  expect(head === committed || head === committed + 1).toBe(true)
  if (head >= 0) await expectChain(store, chain, head)
  return head
}

const expectToGoOn = async (store: ChainStore, head: number): Promise<void> => {
  for (const commit of chain.commits.slice(head + 1)) await store.commit(commit)
  await expectChain(store, chain, BLOCKS - 1)
  await store.flush()
  await expectChain(store, chain, BLOCKS - 1)
}

describe('given a stop at any operation of a run', () => {
  for (const [what, imageAfter, seeds] of [
    ['the process is killed, the write in progress torn', imageAfterKill, [1]],
    ['the power fails, unsynced writes kept, lost or torn, each for itself', imageAfterPowerCut, [2]],
  ] as const)
    test(`when ${what}, then the last committed block or the one before remains`, async () => {
      const operations = await recordedRun(1)
      let unfinished = 0
      for (const seed of seeds) {
        const random = seededRandom(seed)
        for (let stop = 0; stop <= operations.length; stop++) {
          const image = imageAfter(operations, stop, random)
          const committed = committedBefore(operations, stop)
          const { store, operations: repair } = await open(image, stop % 2 === 0)
          const head = await expectPromise(store, committed)
          if (stop % CONTINUE_EVERY === 0) await expectToGoOn(store, head)
          if (repair.length === 0 || ++unfinished % STOP_AGAIN_EVERY !== 0) continue
          for (let again = 0; again <= repair.length; again++) {
            const second = await open(imageAfter(repair, again, random, image), true)
            expect(await expectPromise(second.store, committed)).toBe(head)
          }
        }
      }
      expect(unfinished).toBeGreaterThan(100)
    }, 120_000)
})

describe('given a stop at any operation of a run whose blocks become durable together', () => {
  for (const [what, imageAfter] of [
    ['the process is killed, the write in progress torn', imageAfterKill],
    ['the power fails, unsynced writes kept, lost or torn, each for itself', imageAfterPowerCut],
  ] as const)
    test(`when ${what}, then a whole chain with all promised blocks remains`, async () => {
      const operations = await recordedRun(9)
      const random = seededRandom(3)
      const heads = new Set<number>()
      for (let stop = 0; stop <= operations.length; stop++) {
        const { store } = await open(imageAfter(operations, stop, random), stop % 2 === 0)
        const head = Number(store.head()?.header.number ?? -1n)
        expect(head).toBeGreaterThanOrEqual(committedBefore(operations, stop))
        if (head >= 0) await expectChain(store, chain, head)
        if (stop % CONTINUE_EVERY === 0) await expectToGoOn(store, head)
        heads.add(head)
      }
      expect(heads.size).toBeGreaterThan(COMMITTED / 2)
    }, 120_000)
})

describe('given a stop at any operation of a run whose blocks are durable next', () => {
  for (const [what, imageAfter, lostMin] of [
    ['the process is killed, the write in progress torn', imageAfterKill, 1],
    [
      'the power fails, unsynced writes kept, lost or torn, each for itself',
      imageAfterPowerCut,
      COMMITTED / 2,
    ],
  ] as const)
    test(`when ${what}, then the head or the block before remains`, async () => {
      const operations = await recordedRun(COMMITTED, 'next')
      const random = seededRandom(5)
      const lost = new Set<number>()
      for (let stop = 0; stop <= operations.length; stop++) {
        const { store } = await open(imageAfter(operations, stop, random), stop % 2 === 0)
        const head = Number(store.head()?.header.number ?? -1n)
        const durable = committedBefore(operations, stop)
        expect(head).toBeGreaterThanOrEqual(durable)
        expect(head).toBeLessThanOrEqual(durable + 2)
        if (head >= 0) await expectChain(store, chain, head)
        if (stop % CONTINUE_EVERY === 0) await expectToGoOn(store, head)
        if (head === durable) lost.add(head)
      }
      // The decisive case: the head of the run is gone.
      expect(lost.size).toBeGreaterThanOrEqual(lostMin)
    }, 120_000)
})

/** Numbers of the blocks that have parts. */
const blocksWithParts = (image: Image): readonly number[] => [
  ...new Set([...image.keys()].filter(key => key.startsWith('part:')).map(key => Number(key.split(':')[1]))),
]

describe('given a stop at any operation of a run whose blocks are stored in parts', () => {
  for (const [what, imageAfter] of [
    ['the process is killed, the write in progress torn', imageAfterKill],
    ['the power fails, unsynced writes kept, lost or torn, each for itself', imageAfterPowerCut],
  ] as const) {
    test(`when ${what}, then the last committed block or the one before remains, and no part of another`, async () => {
      const run = { options: IN_PARTS, blocks: COMMITTED_IN_PARTS }
      const operations = await recordedRun(1, 'soon', run)
      const random = seededRandom(7)
      let betweenParts = 0
      for (let stop = 0; stop <= operations.length; stop++) {
        const { store, image } = await open(imageAfter(operations, stop, random), stop % 2 === 0, IN_PARTS)
        const head = await expectPromise(store, committedBefore(operations, stop))
        if (imageAfter === imageAfterKill)
          expect(Math.max(-1, ...blocksWithParts(image))).toBeLessThanOrEqual(head)
        const next = operations[stop]
        if (next?.kind === 'write' && next.key.startsWith('part:')) betweenParts++
        if (stop % CONTINUE_EVERY === 0) await expectToGoOn(store, head)
      }
      expect(betweenParts).toBeGreaterThan(5 * COMMITTED_IN_PARTS)
    }, 60_000)

    test(`when they become durable together and ${what}, then a whole chain with all promised blocks remains`, async () => {
      const run = { options: IN_PARTS, blocks: COMMITTED_IN_PARTS }
      const operations = await recordedRun(4, 'soon', run)
      const random = seededRandom(8)
      for (let stop = 0; stop <= operations.length; stop++) {
        const { store } = await open(imageAfter(operations, stop, random), stop % 2 === 0, IN_PARTS)
        const head = Number(store.head()?.header.number ?? -1n)
        expect(head).toBeGreaterThanOrEqual(committedBefore(operations, stop))
        if (head >= 0) await expectChain(store, chain, head)
      }
    }, 60_000)
  }
})
