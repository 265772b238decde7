import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { toHex } from '../../../../core/bytes/hex.ts'
import { qbftBlockHash } from '../../../../core/block/codec/blockHash.ts'
import type { QbftEnvironment } from '../../../../core/qbft/environment.ts'
import { roundOf } from '../support/blocks.ts'
import { type Cluster, createCluster } from '../support/cluster.ts'
import { at, networkKeys } from '../support/keys.ts'
import { createNode } from '../support/node.ts'

// Sixty heights of five state machines with real signatures take seconds on a busy machine.
setDefaultTimeout(120_000)

const PERIOD_MS = 1_000
const TIMEOUT_MS = 4_000
const KEYS = networkKeys(4)

const startCluster = (running = KEYS, environment: Partial<QbftEnvironment> = {}): Cluster => {
  const cluster = createCluster({
    keys: KEYS,
    environment: { requestTimeoutMs: TIMEOUT_MS, ...environment },
    periodMs: PERIOD_MS,
  })
  for (const key of running) cluster.start(key)
  return cluster
}

const runTo = (cluster: Cluster, height: number, withinMs = 120_000): void =>
  cluster.runUntil(() => cluster.chainOf(at(KEYS, 1)).length >= height, cluster.nowMs + withinMs)

/** The time at which the first node had each height. */
const firstCommits = (cluster: Cluster): readonly number[] => {
  const times = new Map<bigint, number>()
  for (const { block, atMs } of cluster.committed)
    if (!times.has(block.header.number)) times.set(block.header.number, atMs)
  return [...times.values()]
}

const hashes = (cluster: Cluster, index: number): readonly string[] =>
  cluster.chainOf(at(KEYS, index)).map(({ header }) => toHex(qbftBlockHash(header)))

describe('given four machines wired together', () => {
  test('when all run, then they make a block each period in round 0, in turn', () => {
    const cluster = startCluster()
    runTo(cluster, 8)
    const blocks = cluster.chainOf(at(KEYS, 1))
    expect(blocks.map(roundOf)).toEqual(Array(8).fill(0))
    expect(blocks.map(({ header }) => header.coinbase)).toEqual(
      [...KEYS, ...KEYS].map(({ address }) => address),
    )
    expect(blocks.map(({ header }) => header.timestamp)).toEqual([1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n])
  })

  test.each([
    ['as Besu writes messages', 'blockAccessList', false],
    ['as Besu before 26.1 writes them', 'legacy', false],
    ['as GoQuorum writes and proposes them', 'legacy', true],
  ] as const)(
    'when the first block needs a second round, %s, then it has round 1, and a late node continues after it',
    (_, dialect, proposesRoundZero) => {
      const cluster = startCluster(KEYS.slice(1), { dialect, proposesRoundZero })
      runTo(cluster, 1)
      expect(cluster.chainOf(at(KEYS, 1)).map(roundOf)).toEqual([1])
      cluster.start(at(KEYS, 0))
      runTo(cluster, 5)
      const blocks = cluster.chainOf(at(KEYS, 0))
      expect(blocks.slice(0, 5).map(roundOf)).toEqual([1, 0, 0, 0, 0])
      expect(blocks.slice(0, 5).some(({ header }) => header.coinbase === at(KEYS, 0).address)).toBe(true)
      expect(hashes(cluster, 0).slice(0, 5)).toEqual(hashes(cluster, 1).slice(0, 5))
    },
  )

  test('when the first proposer is offline, then its heights take a period and a timeout, the others a period', () => {
    const cluster = startCluster(KEYS.slice(1))
    runTo(cluster, 7)
    // The rotation continues from the coinbase, so that the turn of the offline validator comes after those of the two others.
    expect(cluster.chainOf(at(KEYS, 1)).map(roundOf)).toEqual([1, 0, 0, 1, 0, 0, 1])
    const times = firstCommits(cluster)
    const seconds = times.map((time, index) => Math.round((time - (times[index - 1] ?? 0)) / 1000))
    const [slow, fast] = [(PERIOD_MS + TIMEOUT_MS) / 1000, PERIOD_MS / 1000]
    expect(seconds).toEqual([slow, fast, fast, slow, fast, fast, slow])
    expect(hashes(cluster, 3)).toEqual(hashes(cluster, 1).slice(0, hashes(cluster, 3).length))
  })

  test('when one starts late, then it gets the others’ blocks and signs at the head', () => {
    const cluster = startCluster(KEYS.slice(0, 3))
    runTo(cluster, 70, 600_000)
    cluster.start(at(KEYS, 3))
    expect(cluster.chainOf(at(KEYS, 3)).length).toBeGreaterThanOrEqual(70)
    const height = cluster.chainOf(at(KEYS, 3)).length
    cluster.runUntil(() => cluster.chainOf(at(KEYS, 3)).length >= height + 8, cluster.nowMs + 120_000)
    const made = cluster.chainOf(at(KEYS, 3)).slice(height)
    expect(made.some(({ header }) => toHex(header.coinbase) === toHex(at(KEYS, 3).address))).toBe(true)
  })

  test('when the last in order stops, then blocks go on', () => {
    const cluster = startCluster()
    runTo(cluster, 3)
    cluster.stop(at(KEYS, 3))
    runTo(cluster, 12)
    expect(hashes(cluster, 0).slice(0, 10)).toEqual(hashes(cluster, 1).slice(0, 10))
  })

  test('when two stop, then there is no block; one returns after an hour, and a block comes within four timeouts', () => {
    const cluster = startCluster()
    runTo(cluster, 2)
    cluster.stop(at(KEYS, 2))
    cluster.stop(at(KEYS, 3))
    const height = cluster.chainOf(at(KEYS, 1)).length
    expect(() =>
      cluster.runUntil(() => cluster.chainOf(at(KEYS, 1)).length > height + 1, 3_600_000),
    ).toThrow()
    cluster.start(at(KEYS, 2))
    runTo(cluster, cluster.chainOf(at(KEYS, 1)).length + 1, 4 * TIMEOUT_MS)
  })

  test('when all are killed and started in another order, then a block comes within four timeouts', () => {
    const cluster = startCluster()
    runTo(cluster, 2)
    for (const key of KEYS) cluster.stop(key)
    for (const index of [2, 0, 3, 1]) cluster.start(at(KEYS, index))
    runTo(cluster, cluster.chainOf(at(KEYS, 1)).length + 1, 4 * TIMEOUT_MS)
    expect(hashes(cluster, 0)).toEqual(hashes(cluster, 1).slice(0, hashes(cluster, 0).length))
  })
})

test('given a network without validators, when it starts, then nothing runs', () => {
  const node = createNode({ keys: [], own: at(KEYS, 0) })
  const step = node.head()
  expect(step.map(({ kind }) => kind)).toEqual(['cancel-timer', 'cancel-timer', 'cancel-timer'])
  expect([...node.timers.keys()]).toEqual([])
  expect([
    ...node.blockTimer(),
    ...node.roundTimer(),
    ...node.step({ kind: 'transactions-waiting' }),
  ]).toEqual([])
})

describe('given rounds that take longer than their timeouts', () => {
  const BASE_MS = 1_000
  const minutes = (count: number): number => count * 60_000
  /** Duration of the first blocks. */
  const blockTimes = (options: {
    readonly latencyMs?: number
    readonly workMs?: number
  }): readonly number[] => {
    const environment = { requestTimeoutMs: BASE_MS }
    const cluster = createCluster({ keys: KEYS, environment, periodMs: PERIOD_MS, ...options })
    for (const key of KEYS) cluster.start(key)
    runTo(cluster, 3, minutes(20))
    const times = firstCommits(cluster)
    return times.map((time, index) => time - (times[index - 1] ?? 0))
  }

  test.each([
    ['messages take 2 seconds', { latencyMs: 2_000 }, 4, 1],
    ['messages take 10 seconds', { latencyMs: 10_000 }, 12, 3],
    ['making and verifying a block take 4 seconds each', { workMs: 4_000 }, 4, 1],
  ])(
    'when it is %s, then the growth is waited for once, and blocks go on',
    (_, options, firstWithin, othersWithin) => {
      const [first = Number.NaN, ...others] = blockTimes(options)
      expect(first).toBeLessThan(minutes(firstWithin))
      for (const ms of others) expect(ms).toBeLessThan(minutes(othersWithin))
    },
  )
})
