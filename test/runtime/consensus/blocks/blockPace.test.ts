import { describe, expect, test } from 'bun:test'
import { createBlockPace } from '../../../../runtime/consensus/blocks/blockPace.ts'
import type { ConsensusStep } from '../../../../runtime/consensus/reports/observer.ts'
import type { HeadContext } from '../../../../core/qbft/input.ts'

const PERIOD_MS = 1_000
/** Blocks on a network that executes and verifies `gasPerMs`, and takes `fixedMs` besides. */
const setUp = (fixedMs = 50) => {
  let gas = 0n
  let nowMs = 1_000_000
  let number = 0n
  const pace = createBlockPace({ periodMs: () => PERIOD_MS, headGas: () => gas })
  const begin = (round: number): void =>
    pace.observer.stepped({
      effects: [{ kind: 'round-started', sequence: number, round }],
      nowMs,
    } as unknown as ConsensusStep)
  /** Makes a block of the allowed gas, at most `offered`. Returns how long it took. */
  const make = (gasPerMs: number, offered: number, rounds = 1): number => {
    gas = BigInt(Math.min(offered, Number(pace.gasMax() ?? offered)))
    number++
    for (let round = 0; round < rounds; round++) begin(round)
    const tookMs = fixedMs + Number(gas) / gasPerMs + 10_000 * (rounds - 1)
    nowMs += tookMs
    pace.executed(number, Number(gas) / gasPerMs / 2)
    pace.observer.newHead({ number } as HeadContext, nowMs)
    return tookMs
  }
  return { pace, make }
}

describe('given a network with more transactions than it can execute', () => {
  test('when blocks are late, then they keep to the period from the third on, with most of what it has time for', () => {
    const { make } = setUp()
    for (let block = 0; block < 3; block++) make(10_000, 0)
    const times = Array.from({ length: 20 }, () => make(10_000, 30_000_000))
    expect(times.slice(0, 2).every(ms => ms > 3 * PERIOD_MS)).toBe(true)
    expect(Math.max(...times.slice(2))).toBeLessThan(PERIOD_MS)
    expect(Math.min(...times.slice(5))).toBeGreaterThan(0.85 * PERIOD_MS)
  })

  test('when it becomes slower and then faster, then its blocks follow once no fast block is remembered', () => {
    const { make } = setUp()
    for (let block = 0; block < 10; block++) make(10_000, 30_000_000)
    for (let block = 0; block < 64; block++) make(5_000, 30_000_000)
    expect(make(5_000, 30_000_000)).toBeLessThan(PERIOD_MS)
    for (let block = 0; block < 8; block++) make(20_000, 30_000_000)
    expect(make(20_000, 30_000_000)).toBeGreaterThan(0.7 * PERIOD_MS)
  })

  test('when one block is late alone, or because of a later round, then nothing is limited', () => {
    const { pace, make } = setUp()
    make(10_000, 5_000_000)
    make(1_000, 5_000_000)
    make(10_000, 5_000_000)
    make(10_000, 5_000_000, 2)
    make(10_000, 5_000_000, 2)
    expect(pace.gasMax()).toBeUndefined()
  })

  test('when the load has gone, then nothing is limited any more', () => {
    const { pace, make } = setUp()
    for (let block = 0; block < 4; block++) make(10_000, 30_000_000)
    expect(pace.gasMax()).toBeDefined()
    for (let block = 0; block < 8; block++) make(10_000, 100_000)
    expect(pace.gasMax()).toBeUndefined()
  })
})

describe('given a network whose rounds take most of a period without any gas', () => {
  test('when it has few transactions, then nothing is limited', () => {
    const { pace, make } = setUp(600)
    for (let block = 0; block < 10; block++) make(10_000, 100_000)
    expect(pace.gasMax()).toBeUndefined()
  })

  test('when it has too many, then most of its best rate is left, although its blocks are late', () => {
    const { make } = setUp(600)
    for (let block = 0; block < 10; block++) make(10_000, 100_000)
    const unlimited = 30_000_000 / make(10_000, 30_000_000)
    const times = Array.from({ length: 20 }, () => make(10_000, 30_000_000))
    expect(Math.max(...times.slice(8))).toBeLessThan(1.4 * PERIOD_MS)
    expect(Math.min(...times.slice(8)) - 600).toBeGreaterThan((0.79 * unlimited * PERIOD_MS) / 10_000)
  })

  test('when small blocks are late for long, then nothing is limited', () => {
    const { pace, make } = setUp(1_500)
    for (let block = 0; block < 20; block++) make(10_000, 21_000)
    expect(pace.gasMax()).toBeUndefined()
  })
})
