import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import * as fc from 'fast-check'
import { requestScheduler } from '../../../../handlers/inbound/requestScheduler.ts'
import { toHex, toQuantity } from '../../../../core/bytes/hex.ts'
import type { Chain } from '../../../../core/chain/chain.ts'
import type { Log } from '../../../../core/block/receipt.ts'
import { openChainStore } from '../../../../core/store/chainStore.ts'
import { keyValueOfDriver } from '../../../../core/store/keyvalue/driverStore.ts'
import type { BlockCommit, ChainStore } from '../../../../core/store/store.ts'
import type { RpcContext } from '../../../../handlers/rpc/context.ts'
import { RpcError } from '../../../../handlers/rpc/errors.ts'
import { readLogFilter } from '../../../../handlers/rpc/logs/filter.ts'
import { LOGS_MAX, searchLogs, searchLogsText } from '../../../../handlers/rpc/logs/search.ts'
import { foundLogShape, logShape } from '../../../../handlers/rpc/shapes/receipt.ts'
import { openMemoryDriver } from '../../../../runtime/drivers/memory.ts'
import {
  logChain,
  type LogsOfBlock,
  numberedAddress,
  numberedLog,
  numberedTopic,
} from '../../../support/chains/logChain.ts'
import { seededRandom } from '../../../support/random.ts'
import { rejection } from '../../../support/rejection.ts'

setDefaultTimeout(120_000)

const BLOCKS = 5_001
const LOGS_PER_BLOCK = 20
const RARE_EVERY = 500

/** 5,000 blocks with 100,000 logs and genesis with none; one contract emits an event in every 500th block. */
const sampleBlocks = (): LogsOfBlock[] => {
  const random = seededRandom(3)
  return Array.from({ length: BLOCKS }, (_, number) => {
    if (number === 0) return []
    const logs = Array.from({ length: LOGS_PER_BLOCK }, () =>
      numberedLog(random.below(20), [random.below(5), 100 + random.below(5000)]),
    )
    if (number % RARE_EVERY === 0) logs[7] = numberedLog(77, [77])
    return [logs.slice(0, 10), logs.slice(10)]
  })
}

type Opened = {
  readonly store: ChainStore
  readonly context: RpcContext
  readonly commits: readonly BlockCommit[]
}

/** Only what a search needs; `read` hears of every block whose logs are read. */
const open = async (blocks: Iterable<LogsOfBlock>, read?: (number: bigint) => void): Promise<Opened> => {
  const store = await openChainStore(keyValueOfDriver(openMemoryDriver(), 'none'))
  const commits: BlockCommit[] = []
  for (const commit of logChain(blocks)) {
    commits.push(commit)
    await store.commit(commit)
  }
  await store.flush()
  const watched: ChainStore = {
    ...store,
    logsOf: number => {
      read?.(number)
      return store.logsOf(number)
    },
  }
  const chain = { store: watched, head: () => store.head() } as Pick<Chain, 'store' | 'head'>
  return { store, commits, context: { chain, scheduler: requestScheduler() } as RpcContext }
}

const NEVER = (): boolean => false

const codeOf = async (promise: Promise<unknown>): Promise<string> => {
  const error = await rejection(promise)
  return error instanceof RpcError ? error.code : String(error)
}

const all = { fromBlock: 'earliest', toBlock: 'latest' }

describe('given a search over 5,000 blocks with 100,000 logs', () => {
  let opened: Opened
  let read: bigint[] = []
  beforeAll(async () => {
    opened = await open(sampleBlocks(), number => {
      read.push(number)
    })
  })
  afterAll(() => opened.store.close())

  test('when few blocks match, then only their logs are read', async () => {
    read = []
    const filter = readLogFilter({
      ...all,
      address: toHex(numberedAddress(77)),
      topics: [toHex(numberedTopic(77))],
    })
    const numbers = await searchLogs(opened.context, filter, 0n, NEVER, (_, { number }) => number)
    expect(numbers).toEqual(Array.from({ length: 10 }, (_, index) => BigInt((index + 1) * RARE_EVERY)))
    expect(read).toEqual(numbers)
  })

  test('when all match, then the text is the JSON of their shapes', async () => {
    const filter = readLogFilter(all)
    const { pieces, text } = await searchLogsText(opened.context, filter, 0n, NEVER)
    const found = JSON.parse(text) as unknown[]
    expect(found).toHaveLength(LOGS_MAX)
    expect(pieces.length).toBeGreaterThan(100)
    expect(found.slice(0, 50)).toEqual(
      (await searchLogs(opened.context, filter, 0n, NEVER, foundLogShape)).slice(0, 50),
    )
  })

  test('when it runs, then other work runs in between', async () => {
    let turns = 0
    const timer = setInterval(() => turns++, 1)
    await searchLogsText(opened.context, readLogFilter(all), 0n, NEVER)
    clearInterval(timer)
    expect(turns).toBeGreaterThan(5)
  })

  test('when the client disconnects, then it ends at the next step', async () => {
    let asked = 0
    const expired = (): boolean => ++asked > 20
    expect(await codeOf(searchLogsText(opened.context, readLogFilter(all), 0n, expired))).toBe('TIMEOUT')
    expect(asked).toBe(21)
  })

  test('when the range is too long, then it is refused before any read', async () => {
    read = []
    const filter = readLogFilter({ fromBlock: '0x0', toBlock: toQuantity(101) })
    expect(await codeOf(searchLogsText(opened.context, filter, 100n, NEVER))).toBe('LOGS_RANGE_TOO_LARGE')
    expect(read).toEqual([])
    const within = readLogFilter({ fromBlock: '0x1', toBlock: toQuantity(101) })
    expect(JSON.parse((await searchLogsText(opened.context, within, 100n, NEVER)).text)).toHaveLength(2020)
  })
})

describe('given a search with too many logs', () => {
  const log = numberedLog(1, [1])
  const blockOf = (count: number): LogsOfBlock => [Array.from({ length: count }, () => log)]

  test('when it covers many blocks, then the error suggests a range', async () => {
    const half = LOGS_MAX / 2
    const { context, store } = await open([[], blockOf(half), blockOf(half), blockOf(1), []])
    const text = async (from: number, to: number): Promise<string> => {
      const filter = readLogFilter({ fromBlock: toQuantity(from), toBlock: toQuantity(to) })
      try {
        return String(JSON.parse((await searchLogsText(context, filter, 0n, NEVER)).text).length)
      } catch (error) {
        return String(error)
      }
    }
    expect(await text(0, 2)).toBe(String(LOGS_MAX))
    expect(await text(0, 4)).toContain('blocks 0 to 2 fit in one answer')
    expect(await text(3, 4)).toBe('1')
    await store.close()
  })

  test('when it covers one block, then the error says that only a narrower filter helps', async () => {
    const { context, store } = await open([[], blockOf(LOGS_MAX + 1)])
    const filter = readLogFilter({ fromBlock: '0x1', toBlock: '0x1' })
    expect(String(await rejection(searchLogsText(context, filter, 0n, NEVER)))).toContain(
      'in block 1; use fewer addresses or topics',
    )
    await store.close()
  })
})

describe('given any search', () => {
  const logArbitrary = fc
    .tuple(fc.nat(3), fc.array(fc.nat(5), { maxLength: 4 }))
    .map(([address, topics]) => numberedLog(address, topics))
  const blockArbitrary: fc.Arbitrary<LogsOfBlock> = fc.oneof(
    { weight: 2, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(fc.array(logArbitrary, { maxLength: 3 }), { maxLength: 3 }) },
  )
  const oneOrMore = (values: fc.Arbitrary<string>): fc.Arbitrary<unknown> =>
    fc.oneof(values, fc.array(values, { maxLength: 3 }))
  const addressArbitrary = oneOrMore(fc.nat(4).map(index => toHex(numberedAddress(index))))
  const topicArbitrary = oneOrMore(fc.nat(6).map(index => toHex(numberedTopic(index))))

  /** As the execution-apis say it: empty means any. */
  const isWanted = (log: Log, address: unknown, topics: readonly unknown[]): boolean => {
    const among = (wanted: unknown, value: Uint8Array | undefined): boolean => {
      const several = Array.isArray(wanted) ? wanted : wanted === null || wanted === undefined ? [] : [wanted]
      return value !== undefined && (several.length === 0 || several.includes(toHex(value)))
    }
    return among(address, log.address) && topics.every((wanted, index) => among(wanted, log.topics[index]))
  }

  test('when it is compared with a scan of every log, then both give the same', async () => {
    const chains = fc.array(blockArbitrary, { minLength: 1, maxLength: 200, size: 'max' })
    const filters = fc.array(
      fc.record({
        from: fc.nat(),
        to: fc.nat(),
        address: fc.option(addressArbitrary),
        topics: fc.array(fc.option(topicArbitrary), { maxLength: 5 }),
      }),
      { minLength: 3, maxLength: 10 },
    )
    await fc.assert(
      fc.asyncProperty(chains, filters, async (blocks, asked) => {
        const { context, store, commits } = await open(blocks)
        for (const { address, topics, ...range } of asked) {
          const [from, to] = [range.from % blocks.length, range.to % blocks.length].toSorted(
            (a, b) => a - b,
          ) as [number, number]
          const filter = readLogFilter({
            fromBlock: toQuantity(from),
            toBlock: toQuantity(to),
            address,
            topics,
          })
          const expected = commits.slice(from, to + 1).flatMap(record => {
            let logIndex = 0
            return record.receipts.flatMap(({ logs }, transactionIndex) =>
              logs.flatMap(log => {
                const place = { record, transactionIndex, logIndex: logIndex++ }
                return isWanted(log, address, topics) ? [logShape(log, place)] : []
              }),
            )
          })
          expect(JSON.parse((await searchLogsText(context, filter, 0n, NEVER)).text)).toEqual(expected)
        }
        await store.close()
      }),
      { numRuns: 60, seed: 12 },
    )
  })
})
