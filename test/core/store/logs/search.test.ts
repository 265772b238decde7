import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import * as fc from 'fast-check'
import memoryDriver from 'unstorage/drivers/memory'
import { openChainStore } from '../../../../core/store/chainStore.ts'
import { keyValueOfDriver } from '../../../../core/store/keyvalue/driverStore.ts'
import type { KeyValueStore } from '../../../../core/store/keyvalue/keyvalue.ts'
import { LOG_SECTION_BLOCKS } from '../../../../core/store/limits.ts'
import type { LogQuery } from '../../../../core/store/logs/pattern.ts'
import type { ChainStore } from '../../../../core/store/store.ts'
import { openMemoryDriver } from '../../../../runtime/drivers/memory.ts'
import {
  logChain,
  type LogsOfBlock,
  numberedAddress,
  numberedLog,
  numberedTopic,
} from '../../../support/chains/logChain.ts'
import {
  ADDRESSES,
  commitAll,
  exact,
  found,
  naive,
  RARE,
  sampleBlocks,
  search,
  TOPICS,
} from '../../../support/chains/logSearch.ts'

setDefaultTimeout(120_000)

const logArbitrary = fc
  .tuple(fc.nat(ADDRESSES - 1), fc.array(fc.nat(TOPICS - 1), { maxLength: 4 }))
  .map(([address, topics]) => numberedLog(address, topics))

/** Mostly empty, as on a quiet chain. */
const blockArbitrary: fc.Arbitrary<LogsOfBlock> = fc.oneof(
  { weight: 3, arbitrary: fc.constant([]) },
  { weight: 1, arbitrary: fc.array(fc.array(logArbitrary, { maxLength: 3 }), { maxLength: 3 }) },
)

const wantsArbitrary: fc.Arbitrary<LogQuery> = fc.record({
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

/** A store in memory, and the keys that were read. */
const recordingStore = (): { readonly kv: KeyValueStore; readonly read: string[] } => {
  const read: string[] = []
  const memory = keyValueOfDriver(memoryDriver(), 'none')
  const get = (key: string) => {
    read.push(key)
    return memory.get(key)
  }
  return { kv: { ...memory, get }, read }
}

describe('given a search over the log index', () => {
  for (const [what, openDriver] of [
    ['synchronous', openMemoryDriver],
    ['asynchronous', memoryDriver],
  ] as const)
    test(`when it runs on any chain with ${what} reads, before and after restarts, then it finds what a scan finds`, async () => {
      const cases = fc
        .array(blockArbitrary, { minLength: 1, maxLength: 4 * LOG_SECTION_BLOCKS, size: 'max' })
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
          // As after a kill: unwritten blocks of the first run are gone.
          const second = await openChainStore(kv, { flushBlocks })
          await commitAll(second, commits.slice(restartAt))
          await expectAll(second)
          await second.flush()
          await expectAll(second)
          const third = await openChainStore(kv, { flushBlocks })
          await expectAll(third)
          const stored = blocks.length - (blocks.length % LOG_SECTION_BLOCKS)
          if (stored === 0) return
          for (const [wants] of searches)
            expect((await search(third, wants, 0, stored - 1)).numbers).toEqual(
              exact(commits, wants, 0, stored - 1),
            )
        }),
        { numRuns: 60, seed: 11 },
      )
    })

  test('when sections are stored, then it reads no segment, and almost nothing without a match', async () => {
    const { kv, read } = recordingStore()
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

  test('when a section is large, then it reads only the partitions of the values', async () => {
    const { kv, read } = recordingStore()
    const commits = [...logChain(sampleBlocks(LOG_SECTION_BLOCKS + 1, 500))]
    const store = await openChainStore(kv, { flushBlocks: 1 })
    await commitAll(store, commits)
    await store.flush()
    read.length = 0
    const topic = commits[7]?.receipts[0]?.logs[0]?.topics[1] as Uint8Array
    const wants: LogQuery = { addresses: undefined, topics: [undefined, [topic]] }
    expect(await found(store, commits, wants, 0, LOG_SECTION_BLOCKS - 1)).toEqual(
      naive(commits, wants, 0, LOG_SECTION_BLOCKS - 1),
    )
    expect(read).toHaveLength(2)
    expect(read[0]).toBe('logs:0')
    expect(read[1]).toStartWith('logs:0:')
    const topics = commits.slice(0, 50).map(commit => commit.receipts[0]?.logs[3]?.topics[1] as Uint8Array)
    const many: LogQuery = { addresses: undefined, topics: [undefined, topics] }
    expect((await search(store, many, 0, LOG_SECTION_BLOCKS - 1)).numbers).toEqual(
      exact(commits, many, 0, LOG_SECTION_BLOCKS - 1),
    )
  })
})
