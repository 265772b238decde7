import { expect } from 'bun:test'
import { equalBytes } from '../../../core/bytes/bytes.ts'
import type { Log } from '../../../core/block/receipt.ts'
import { logPattern, type LogQuery } from '../../../core/store/logs/pattern.ts'
import type { BlockCommit, ChainStore } from '../../../core/store/store.ts'
import { type LogsOfBlock, numberedAddress, numberedLog, numberedTopic } from './logChain.ts'
import { seededRandom } from '../random.ts'

/** So many different ones are in sample chains. */
export const ADDRESSES = 6
export const TOPICS = 9

const logMatches = (log: Log, { addresses, topics }: LogQuery): boolean =>
  (addresses === undefined || addresses.some(address => equalBytes(address, log.address))) &&
  topics.every((values, index) => {
    const topic = log.topics[index]
    return topic !== undefined && (values === undefined || values.some(value => equalBytes(value, topic)))
  })

/** The blocks of `from` to `to` that have a wanted log: what any search has to give, others may be with them. */
export const naive = (commits: readonly BlockCommit[], wants: LogQuery, from: number, to: number): bigint[] =>
  commits
    .slice(from, to + 1)
    .filter(({ receipts }) => receipts.some(({ logs }) => logs.some(log => logMatches(log, wants))))
    .map(({ block }) => block.header.number)

/** The blocks that hold, in whatever logs, one of each of the wanted values where it is wanted: what an exact index gives. */
export const exact = (
  commits: readonly BlockCommit[],
  { addresses, topics }: LogQuery,
  from: number,
  to: number,
) => {
  const positions: readonly LogQuery[] = [
    { addresses, topics: [] },
    ...topics.map((_, index): LogQuery => {
      const only = topics.map((values, at) => (at === index ? values : undefined))
      return { addresses: undefined, topics: only.slice(0, topics[index] === undefined ? 0 : index + 1) }
    }),
  ]
  return positions
    .map(wants => naive(commits, wants, from, to))
    .reduce((left, right) => left.filter(number => right.includes(number)))
}

export const search = async (
  store: ChainStore,
  wants: LogQuery,
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
export const found = async (
  store: ChainStore,
  commits: readonly BlockCommit[],
  wants: LogQuery,
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

/** Some logs in every block, one value in a few of them. */
export const sampleBlocks = (count: number, logsPerBlock = 2): LogsOfBlock[] => {
  const random = seededRandom(5)
  return Array.from({ length: count }, (_, number) => [
    Array.from({ length: logsPerBlock }, () =>
      numberedLog(random.below(ADDRESSES - 1), [random.below(TOPICS - 1), random.below(1000) + TOPICS]),
    ),
    number % 37 === 5 ? [numberedLog(ADDRESSES - 1, [TOPICS - 1])] : [],
  ])
}

export const RARE: LogQuery = {
  addresses: [numberedAddress(ADDRESSES - 1)],
  topics: [[numberedTopic(TOPICS - 1)]],
}

export const commitAll = async (store: ChainStore, commits: Iterable<BlockCommit>): Promise<void> => {
  for (const commit of commits) await store.commit(commit)
}
