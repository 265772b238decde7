import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import type { Log } from '../../../../core/block/receipt.ts'
import { toHex } from '../../../../core/bytes/hex.ts'
import { logMatches, readLogFilter } from '../../../../handlers/rpc/logs/filter.ts'
import { createFilterIndex, filterPrice } from '../../../../handlers/rpc/logs/filterIndex.ts'
import { numberedAddress, numberedLog, numberedTopic } from '../../../support/chains/logChain.ts'

const value = fc.integer({ min: 0, max: 3 })

const filters = fc.array(
  fc
    .record({
      addresses: fc.array(value, { maxLength: 3 }),
      topics: fc.array(fc.option(fc.array(value, { maxLength: 3 }), { nil: null }), { maxLength: 5 }),
    })
    .map(({ addresses, topics }) =>
      readLogFilter({
        address: addresses.map(one => toHex(numberedAddress(one))),
        topics: topics.map(topic => topic?.map(one => toHex(numberedTopic(one))) ?? null),
      }),
    ),
  { maxLength: 20 },
)

const logs = fc.array(
  fc
    .record({ address: value, topics: fc.array(value, { maxLength: 4 }) })
    .map(({ address, topics }) => numberedLog(address, topics)),
  { maxLength: 10 },
)

describe('given filters in an index', () => {
  test('when a log comes, then exactly the filters that it matches are found, once each, also after others left', () => {
    fc.assert(
      fc.property(filters, logs, fc.integer({ min: 0 }), (all, some, leaving) => {
        const index = createFilterIndex<number>()
        const removals = all.map((filter, item) => index.add(filter, item))
        const expectFound = (isIn: (item: number) => boolean): void => {
          for (const log of some) {
            const wanted = all.flatMap((filter, item) =>
              isIn(item) && filter.topics.length <= 4 && logMatches(log, filter) ? [item] : [],
            )
            expect([...index.matching(log)].sort((a, b) => a - b)).toEqual(wanted)
          }
        }
        expectFound(() => true)
        const hasLeft = (item: number): boolean => ((leaving >> (item % 20)) & 1) === 1
        for (const [item, remove] of removals.entries()) if (hasLeft(item)) remove()
        expectFound(item => !hasLeft(item))
        for (const [item, remove] of removals.entries()) if (!hasLeft(item)) remove()
        expect([index.size, some.flatMap(log => [...index.matching(log)])]).toEqual([0, []])
      }),
    )
  })

  test('when a filter has two long lists, then it is found by one of them and compared by the other', () => {
    const list = (from: number): string[] =>
      Array.from({ length: 100 }, (_, i) => toHex(numberedTopic(from + i)))
    const filter = readLogFilter({ topics: [list(0), list(1000)] })
    const index = createFilterIndex<string>()
    index.add(filter, 'long')
    const found = (...topics: number[]): string[] => [...index.matching(numberedLog(1, topics) satisfies Log)]
    expect([found(5, 1005), found(5, 5), found(1005, 1005), found(5)]).toEqual([['long'], [], [], []])
    const narrow = readLogFilter({ topics: [list(0), toHex(numberedTopic(1))] })
    expect([filterPrice(filter), filterPrice(narrow)]).toEqual([200 + 100 + 1024, 101 + 100])
  })
})
