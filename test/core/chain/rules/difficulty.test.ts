import { describe, expect, test } from 'bun:test'
import { type DifficultyInput, ethashDifficulty } from '../../../../core/chain/rules/difficulty.ts'

const base: DifficultyInput = {
  fork: 'frontier',
  number: 1n,
  timestamp: 1010n,
  parentTimestamp: 1000n,
  parentDifficulty: 2_048_000n,
  parentHasOmmers: false,
}
const difficulty = (change: Partial<DifficultyInput>): bigint => ethashDifficulty({ ...base, ...change })

describe('given ethashDifficulty', () => {
  test('when it is Frontier, then a 2048th is added or taken by thirteen seconds', () => {
    expect(difficulty({ timestamp: 1012n })).toBe(2_049_000n)
    expect(difficulty({ timestamp: 1013n })).toBe(2_047_000n)
  })

  test('when it is block 1 of the main network, then it is the known one', () => {
    const mainnet = { timestamp: 1_438_269_988n, parentTimestamp: 0n, parentDifficulty: 17_179_869_184n }
    expect(difficulty(mainnet)).toBe(17_171_480_576n)
  })

  test('when it is Homestead, then steps of ten seconds count, down to 99 at once (EIP-2)', () => {
    expect(difficulty({ fork: 'homestead', timestamp: 1009n })).toBe(2_049_000n)
    expect(difficulty({ fork: 'homestead', timestamp: 1019n })).toBe(2_048_000n)
    expect(difficulty({ fork: 'homestead', timestamp: 1020n })).toBe(2_047_000n)
    expect(difficulty({ fork: 'homestead', timestamp: 9_999_999n })).toBe(2_048_000n - 99_000n)
  })

  test('when it is Byzantium, then steps of nine seconds and the parent’s ommers count (EIP-100)', () => {
    expect(difficulty({ fork: 'byzantium', timestamp: 1008n })).toBe(2_049_000n)
    expect(difficulty({ fork: 'byzantium', timestamp: 1009n })).toBe(2_048_000n)
    expect(difficulty({ fork: 'byzantium', timestamp: 1009n, parentHasOmmers: true })).toBe(2_049_000n)
  })

  test('when it falls, then it stays at or above 131,072', () => {
    expect(difficulty({ parentDifficulty: 131_072n, timestamp: 2000n })).toBe(131_072n)
  })

  // At a spacing that keeps the parent's difficulty, the increase is the bomb.
  test.each([
    ['homestead', 199_999n, 0n],
    ['homestead', 200_000n, 1n],
    ['homestead', 3_000_000n, 2n ** 28n],
    ['byzantium', 3_199_999n, 0n],
    ['byzantium', 3_200_000n, 1n],
    ['petersburg', 5_200_000n, 1n],
    ['istanbul', 5_300_000n, 2n],
    ['muirGlacier', 9_200_000n, 1n],
    ['berlin', 9_200_000n, 1n],
    ['london', 9_900_000n, 1n],
    ['arrowGlacier', 10_900_000n, 1n],
    ['grayGlacier', 11_600_000n, 1n],
    ['grayGlacier', 11_599_999n, 0n],
  ] as const)('when it is %s at block %s, then the bomb is %s', (fork, number, bomb) => {
    expect(difficulty({ fork, number })).toBe(2_048_000n + bomb)
  })
})
