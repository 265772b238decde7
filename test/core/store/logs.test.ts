import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import * as fc from 'fast-check'
import memoryDriver from 'unstorage/drivers/memory'
import { equalBytes } from '../../../core/bytes/bytes.ts'
import type { Log } from '../../../core/chain/receipt.ts'
import { openChainStore } from '../../../core/store/chainStore.ts'
import { keyValueOfDriver } from '../../../core/store/driverStore.ts'
import type { KeyValueStore } from '../../../core/store/keyvalue.ts'
import { LOG_SECTION_BLOCKS } from '../../../core/store/limits.ts'
import { logPattern, type LogWants } from '../../../core/store/logs/pattern.ts'
import type { BlockLogs } from '../../../core/store/logs/blockLogs.ts'
import type { BlockCommit, ChainStore } from '../../../core/store/store.ts'
import { openMemoryDriver } from '../../../runtime/drivers/memory.ts'
import {
  createFaultyDriver,
  type Image,
  imageAfterKill,
  imageAfterPowerCut,
} from '../../support/faultyDriver.ts'
import {
  type LogsOfBlock,
  logChain,
  numberedAddress,
  numberedLog,
  numberedTopic,
} from '../../support/logChain.ts'
import { seededRandom } from '../../support/random.ts'
import { rejection } from '../../support/rejection.ts'
import { sampleChain } from '../../support/sampleChain.ts'

setDefaultTimeout(60_000)

const ADDRESSES = 6
const TOPICS = 9

const logMatches = (log: Log, { addresses, topics }: LogWants): boolean =>
  (addresses === undefined || addresses.some(address => equalBytes(address, log.address))) &&
  topics.every((values, index) => {
    const topic = log.topics[index]
    return topic !== undefined && (values === undefined || values.some(value => equalBytes(value, topic)))
  })

/** The blocks of `from` to `to` that have a wanted log: what any search has to give, others may be with them. */
const naive = (commits: readonly BlockCommit[], wants: LogWants, from: number, to: number): bigint[] =>
  commits
    .slice(from, to + 1)
    .filter(({ receipts }) => receipts.some(({ logs }) => logs.some(log => logMatches(log, wants))))
    .map(({ block }) => block.header.number)

const search = async (
  store: ChainStore,
  wants: LogWants,
  from: number,
  to: number,
): Promise<{ readonly numbers: bigint[]; readonly steps: number }> => {
  const pattern = logPattern(wants)
  const numbers: bigint[] = []
  let steps = 0
  for (let next = BigInt(from); next <= BigInt(to); steps++) {
    const step = await store.searchLogs(pattern, next, BigInt(to))
    expect(step.through).toBeGreaterThanOrEqual(next)
    expect(step.through).toBeLessThanOrEqual(BigInt(to))
    numbers.push(...step.numbers)
    next = step.through + 1n
  }
  return { numbers, steps }
}

/** Of blocks that may have a wanted log, those that have one: what a search over the receipts makes of its candidates. */
const found = async (
  store: ChainStore,
  commits: readonly BlockCommit[],
  wants: LogWants,
  from: number,
  to: number,
): Promise<bigint[]> => {
  const { numbers } = await search(store, wants, from, to)
  expect(numbers).toEqual(numbers.toSorted((a, b) => Number(a - b)))
  expect(new Set(numbers).size).toBe(numbers.length)
  expect(numbers.every(number => number >= BigInt(from) && number <= BigInt(to))).toBe(true)
  return numbers.filter(number => {
    const index = Number(number)
    return naive(commits, wants, index, index).length === 1
  })
}

const logArbitrary = fc
  .tuple(fc.nat(ADDRESSES - 1), fc.array(fc.nat(TOPICS - 1), { maxLength: 4 }))
  .map(([address, topics]) => numberedLog(address, topics))

/** Mostly nothing, as on a quiet chain. */
const blockArbitrary: fc.Arbitrary<LogsOfBlock> = fc.oneof(
  { weight: 3, arbitrary: fc.constant([]) },
  { weight: 1, arbitrary: fc.array(fc.array(logArbitrary, { maxLength: 3 }), { maxLength: 3 }) },
)

const wantsArbitrary: fc.Arbitrary<LogWants> = fc.record({
  addresses: fc
    .option(fc.uniqueArray(fc.nat(ADDRESSES), { minLength: 1, maxLength: 3 }), { nil: undefined })
    .map(indices => indices?.map(numberedAddress)),
  topics: fc.array(
    fc
      .option(fc.uniqueArray(fc.nat(TOPICS), { minLength: 1, maxLength: 3 }), { nil: undefined })
      .map(indices => indices?.map(numberedTopic)),
    { maxLength: 4 },
  ),
})

const rangeArbitrary = (blocks: number): fc.Arbitrary<readonly [number, number]> =>
  fc.tuple(fc.nat(blocks - 1), fc.nat(blocks - 1)).map(([a, b]) => [Math.min(a, b), Math.max(a, b)])

/** Some logs in every block, one value in a few of them. */
const sampleBlocks = (count: number, logsPerBlock = 2): LogsOfBlock[] => {
  const random = seededRandom(5)
  return Array.from({ length: count }, (_, number) => [
    Array.from({ length: logsPerBlock }, () =>
      numberedLog(random.below(ADDRESSES - 1), [random.below(TOPICS - 1), random.below(1000) + TOPICS]),
    ),
    number % 37 === 5 ? [numberedLog(ADDRESSES - 1, [TOPICS - 1])] : [],
  ])
}

const RARE: LogWants = { addresses: [numberedAddress(ADDRESSES - 1)], topics: [[numberedTopic(TOPICS - 1)]] }

const commitAll = async (store: ChainStore, commits: Iterable<BlockCommit>): Promise<void> => {
  for (const commit of commits) await store.commit(commit)
}

describe('a search over the log index', () => {
  for (const [what, openDriver] of [
    ['synchronous', openMemoryDriver],
    ['asynchronous', memoryDriver],
  ] as const)
    test(`finds in any chain what a look at every log finds, with ${what} reads, before and after restarts`, async () => {
      const cases = fc
        .array(blockArbitrary, { minLength: 1, maxLength: 4 * LOG_SECTION_BLOCKS })
        .chain(blocks =>
          fc.record({
            blocks: fc.constant(blocks),
            flushBlocks: fc.integer({ min: 1, max: 200 }),
            restartAt: fc.nat(blocks.length),
            searches: fc.array(fc.tuple(wantsArbitrary, rangeArbitrary(blocks.length)), {
              minLength: 5,
              maxLength: 15,
            }),
          }),
        )
      await fc.assert(
        fc.asyncProperty(cases, async ({ blocks, flushBlocks, restartAt, searches }) => {
          const commits = [...logChain(blocks)]
          const kv = keyValueOfDriver(openDriver(), 'none')
          const expectAll = async (store: ChainStore): Promise<void> => {
            for (const [wants, [from, to]] of searches)
              expect(await found(store, commits, wants, from, to)).toEqual(naive(commits, wants, from, to))
          }
          const first = await openChainStore(kv, { flushBlocks })
          await commitAll(first, commits.slice(0, restartAt))
          // As after a kill: what the first has not written is gone.
          const second = await openChainStore(kv, { flushBlocks })
          await commitAll(second, commits.slice(restartAt))
          await expectAll(second)
          await second.flush()
          await expectAll(second)
          await expectAll(await openChainStore(kv, { flushBlocks }))
        }),
        { numRuns: 60, seed: 11 },
      )
    })

  test('reads the stored sections and no segment, and finds next to nothing that is not there', async () => {
    const read: string[] = []
    const memory = keyValueOfDriver(memoryDriver(), 'none')
    const kv: KeyValueStore = {
      ...memory,
      get: key => {
        read.push(key)
        return memory.get(key)
      },
    }
    const blocks = 20 * LOG_SECTION_BLOCKS
    const commits = [...logChain(sampleBlocks(blocks, 20))]
    const store = await openChainStore(kv)
    await commitAll(store, commits)
    await store.flush()
    read.length = 0
    const { numbers, steps } = await search(store, RARE, 0, blocks - 1)
    expect(numbers).toEqual(naive(commits, RARE, 0, blocks - 1))
    expect(steps).toBe(20)
    expect(read).toEqual(Array.from({ length: 20 }, (_, section) => `logs:${section}`))
  })

  test('reads of a large section only the partitions that the values are in', async () => {
    const read: string[] = []
    const memory = keyValueOfDriver(memoryDriver(), 'none')
    const kv: KeyValueStore = {
      ...memory,
      get: key => {
        read.push(key)
        return memory.get(key)
      },
    }
    const commits = [...logChain(sampleBlocks(LOG_SECTION_BLOCKS + 1, 500))]
    const store = await openChainStore(kv, { flushBlocks: 1 })
    await commitAll(store, commits)
    await store.flush()
    read.length = 0
    const topic = commits[7]?.receipts[0]?.logs[0]?.topics[1] as Uint8Array
    const wants: LogWants = { addresses: undefined, topics: [undefined, [topic]] }
    expect(await found(store, commits, wants, 0, LOG_SECTION_BLOCKS - 1)).toEqual(
      naive(commits, wants, 0, LOG_SECTION_BLOCKS - 1),
    )
    expect(read).toHaveLength(2)
    expect(read[0]).toBe('logs:0')
    expect(read[1]).toStartWith('logs:0:')
  })
})

describe('the logs of a block', () => {
  test('are the same from its segment as from its record', async () => {
    const chain = sampleChain({
      seed: 4,
      blocks: 40,
      accounts: 3,
      slots: 1,
      changesMax: 1,
      transactionsMax: 9,
    })
    const kv = keyValueOfDriver(openMemoryDriver(), 'none')
    await commitAll(await openChainStore(kv), chain.commits)
    const store = await openChainStore(kv)
    for (const { block, hash, receipts } of chain.commits) {
      const { number, timestamp } = block.header
      const fromSegment = (await store.logsOf(number)) as BlockLogs
      await store.record(number)
      const fromRecord = (await store.logsOf(number)) as BlockLogs
      for (const logs of [fromSegment, fromRecord]) {
        expect([logs.number, logs.hash, logs.timestamp]).toEqual([number, hash, timestamp])
        expect(logs.receipts.map(each => each.logs)).toEqual(receipts.map(each => each.logs))
        expect(block.transactions.map((_, index) => logs.transactionHash(index))).toEqual(
          block.transactions.map(transaction => transaction.hash),
        )
      }
    }
    expect(await store.logsOf(40n)).toBeUndefined()
  })
})

describe('the log index', () => {
  const blocks = 5 * LOG_SECTION_BLOCKS + 10
  const commits = [...logChain(sampleBlocks(blocks))]

  /** The store as it was before it had a log index. */
  const withoutIndex = async (): Promise<Map<string, Uint8Array>> => {
    const disk = createFaultyDriver()
    const store = await openChainStore(keyValueOfDriver(disk.driver, 'none'), { flushBlocks: 50 })
    await commitAll(store, commits)
    await store.flush()
    return new Map([...disk.image].filter(([key]) => !key.startsWith('logs:')))
  }

  test('of a store that has none answers at once and is made in the background', async () => {
    const disk = createFaultyDriver(await withoutIndex())
    const store = await openChainStore(keyValueOfDriver(disk.driver, 'none'))
    expect([...disk.image.keys()].some(key => key.startsWith('logs:'))).toBe(false)
    expect(await found(store, commits, RARE, 0, blocks - 1)).toEqual(naive(commits, RARE, 0, blocks - 1))
    await store.flush()
    expect([...disk.image.keys()].filter(key => /^logs:\d+$/.test(key))).toHaveLength(5)
    expect(await found(store, commits, RARE, 0, blocks - 1)).toEqual(naive(commits, RARE, 0, blocks - 1))
    await store.close()
  })

  test('that was stopped while it was made goes on at the next start', async () => {
    const image = await withoutIndex()
    let pauses = 0
    const enough = Promise.withResolvers<void>()
    const disk = createFaultyDriver(image)
    const kv = keyValueOfDriver(disk.driver, 'none', async () => {
      if (++pauses === 2.5 * LOG_SECTION_BLOCKS) enough.resolve()
      await Promise.resolve()
    })
    const first = await openChainStore(kv)
    await enough.promise
    await first.close()
    expect([...disk.image.keys()].filter(key => /^logs:\d+$/.test(key))).toHaveLength(2)
    const second = await openChainStore(keyValueOfDriver(disk.driver, 'none'))
    expect(await found(second, commits, RARE, 0, blocks - 1)).toEqual(naive(commits, RARE, 0, blocks - 1))
    await second.flush()
    expect([...disk.image.keys()].filter(key => /^logs:\d+$/.test(key))).toHaveLength(5)
  })

  test('does not depend on when it was made', async () => {
    const made = new Set<string>()
    for (const flushBlocks of [1, 7, 64, 1000]) {
      const disk = createFaultyDriver()
      const store = await openChainStore(keyValueOfDriver(disk.driver, 'none'), { flushBlocks })
      await commitAll(store, commits)
      await store.flush()
      const sections = [...disk.image].filter(
        ([key]) => key.startsWith('logs:') && !key.startsWith('logs:mark'),
      )
      made.add(JSON.stringify(sections.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([k, v]) => [k, ...v])))
    }
    expect(made.size).toBe(1)
  })

  test('is whole after a stop at any of its operations, killed or without power', async () => {
    const initial = await withoutIndex()
    const recorded = createFaultyDriver(initial)
    const store = await openChainStore(keyValueOfDriver(recorded.driver, 'synced'), { flushBlocks: 40 })
    const more = [...logChain(sampleBlocks(3 * LOG_SECTION_BLOCKS), commits.at(-1))]
    const all = [...commits, ...more]
    await commitAll(store, more)
    await store.flush()
    const { operations } = recorded
    const random = seededRandom(9)
    let stops = 0
    for (const imageAfter of [imageAfterKill, imageAfterPowerCut])
      for (let stop = 0; stop <= operations.length; stop++) {
        // While something of the index is written, or shortly after.
        const near = operations.slice(Math.max(0, stop - 3), stop + 1)
        if (!near.some(one => one.kind === 'write' && one.key.startsWith('logs:'))) continue
        stops++
        const image: Image = imageAfter(operations, stop, random, initial)
        const kv = keyValueOfDriver(createFaultyDriver(image).driver, 'synced')
        const after = await openChainStore(kv, { flushBlocks: 40 })
        const head = Number(after.head()?.header.number)
        expect(await found(after, all, RARE, 0, head)).toEqual(naive(all, RARE, 0, head))
        await commitAll(after, all.slice(head + 1))
        await after.flush()
        expect(await found(after, all, RARE, 0, all.length - 1)).toEqual(naive(all, RARE, 0, all.length - 1))
      }
    expect(stops).toBeGreaterThan(20)
  })

  test('gives a block that cannot be read to every search, so that whoever reads it is told', async () => {
    const disk = createFaultyDriver(await withoutIndex())
    disk.flipBit('segment:70', 1000)
    const store = await openChainStore(keyValueOfDriver(disk.driver, 'none'))
    await store.flush()
    const nothing: LogWants = { addresses: [numberedAddress(4711)], topics: [] }
    expect((await search(store, nothing, 0, blocks - 1)).numbers).toEqual([70n])
    expect(String(await rejection(store.record(70n)))).toContain('segment:70')
  })

  test('tells of a damaged section instead of leaving logs out', async () => {
    const disk = createFaultyDriver(await withoutIndex())
    const store = await openChainStore(keyValueOfDriver(disk.driver, 'none'))
    await store.flush()
    disk.flipBit('logs:2', 300)
    expect(String(await rejection(search(store, RARE, 0, blocks - 1)))).toContain('logs:2')
  })

  test('that cannot be stored is told with the next commit; searches go on', async () => {
    const disk = createFaultyDriver(await withoutIndex())
    disk.fillAfter(2000)
    const store = await openChainStore(keyValueOfDriver(disk.driver, 'none'))
    expect(String(await rejection(store.flush()))).toContain('log index')
    const [next] = [...logChain([[]], commits.at(-1))]
    expect(String(await rejection(store.commit(next as BlockCommit)))).toContain('log index')
    expect(await found(store, commits, RARE, 0, blocks - 1)).toEqual(naive(commits, RARE, 0, blocks - 1))
  })
})
