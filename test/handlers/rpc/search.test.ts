import { describe, expect, test } from 'bun:test'
import { type Run, searchGasLimit } from '../../../handlers/rpc/simulation/search.ts'

/** A call that needs `least` gas and uses `used` of it. */
const callOf = (least: bigint, used: bigint) => {
  const asked: bigint[] = []
  return {
    asked,
    first: { succeeds: true, gasUsed: used, gasUsedMax: used } satisfies Run,
    run: (gasLimit: bigint) => {
      asked.push(gasLimit)
      return { succeeds: gasLimit >= least }
    },
  }
}

describe('given the search for a gas limit', () => {
  test('when it is a transfer with data, then it answers as Besu and geth', () => {
    const { first, run } = callOf(21_032n, 21_032n)
    expect(searchGasLimit(3_141_592n, first, 0.015, run)).toBe(0x52cdn)
  })

  test('when the tolerance is zero, then it finds the minimum', () => {
    for (const [least, used] of [
      [21_000n, 21_000n],
      [98_765n, 60_000n],
      [16_000_000n, 21_001n],
    ] as const) {
      const { first, run } = callOf(least, used)
      expect(searchGasLimit(16_777_216n, first, 0, run)).toBe(least)
    }
  })

  test('when there is a tolerance, then the result is within it after few runs', () => {
    const { first, run, asked } = callOf(98_765n, 60_000n)
    const found = searchGasLimit(16_777_216n, first, 0.015, run)
    expect(found).toBeGreaterThanOrEqual(98_765n)
    expect(Number(found)).toBeLessThan(98_765 * 1.016)
    expect(asked.length).toBeLessThan(12)
  })

  test('when a limit is known to succeed, then the result is not above it', () => {
    const { first, run } = callOf(50_000n, 49_000n)
    expect(searchGasLimit(50_000n, first, 0.015, run)).toBeLessThanOrEqual(50_000n)
  })
})
