import { describe, expect, test } from 'bun:test'
import type { QbftParameters } from '../../../../core/genesis/configuration.ts'
import { blockTimes, selectionTimeMs } from '../../../../runtime/consensus/blocks/blockTiming.ts'
import { DEFAULT_PARAMETERS } from '../../../support/chains/qbftDefaults.ts'

const parameters = (given: Partial<QbftParameters>): QbftParameters => ({ ...DEFAULT_PARAMETERS, ...given })

describe('given the block timer', () => {
  test('given a parent of second 500 and a period of 15 s, then the next block may be made at second 515', () => {
    expect(blockTimes(parameters({ blockPeriodSeconds: 15 }), 500n, 505_000).readyAtMs).toBe(515_000)
  })

  test('given a period in milliseconds, then it counts from the parent’s arrival', () => {
    expect(blockTimes(parameters({ blockPeriodMs: 20 }), 500n, 505_123).readyAtMs).toBe(505_143)
  })

  test('given no empty-block period, then an empty block is as good as any other', () => {
    expect(blockTimes(parameters({}), 500n, 0).emptyAtMs).toBe(-Infinity)
  })

  test('given one, then it counts from the parent’s timestamp', () => {
    expect(blockTimes(parameters({ emptyBlockPeriodSeconds: 60 }), 500n, 0).emptyAtMs).toBe(560_000)
  })
})

describe('given the time to select transactions', () => {
  test('when the period is set, then it is a percentage of it, of the one in milliseconds where that is set', () => {
    expect(selectionTimeMs(parameters({ blockPeriodSeconds: 4 }), 75)).toBe(3000)
    expect(selectionTimeMs(parameters({ blockPeriodMs: 200 }), 50)).toBe(100)
  })
})
