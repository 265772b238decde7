import { describe, expect, test } from 'bun:test'
import { baseFeeAfter, nextBaseFee } from '../../../../core/chain/fees/baseFee.ts'
import type { Header } from '../../../../core/block/header.ts'

const GWEI = 1_000_000_000n
const plain = { zeroBaseFee: false, fixedBaseFee: false }
const parent = { gasLimit: 20_000_000n, gasUsed: 9_000_000n, baseFeePerGas: GWEI } as Header
const next = {
  configuration: plain,
  rules: { fork: 'london' },
  parent,
  parentRules: { fork: 'london' },
  genesisBaseFeePerGas: undefined,
  minGasPrice: 7n,
} as const

describe('baseFeeAfter (EIP-1559)', () => {
  test.each([
    ['at the target it stays', 10_000_000n, 1_000_000_000n],
    ['below it falls', 9_000_000n, 987_500_000n],
    ['above it rises', 11_000_000n, 1_012_500_000n],
    ['an empty block takes an eighth', 0n, 875_000_000n],
    ['a full block adds an eighth', 20_000_000n, 1_125_000_000n],
  ])('%s', (_, gasUsed, expected) => {
    expect(baseFeeAfter({ gasLimit: 20_000_000n, gasUsed, baseFeePerGas: GWEI })).toBe(expected)
  })

  test('above the target it rises by at least one wei', () => {
    expect(baseFeeAfter({ gasLimit: 20_000_000n, gasUsed: 10_000_001n, baseFeePerGas: 1n })).toBe(2n)
    expect(baseFeeAfter({ gasLimit: 20_000_000n, gasUsed: 10_000_001n, baseFeePerGas: 0n })).toBe(1n)
  })

  test('a genesis block without one counts as 0', () => {
    expect(baseFeeAfter({ gasLimit: 20_000_000n, gasUsed: 0n, baseFeePerGas: undefined })).toBe(0n)
  })
})

describe('nextBaseFee', () => {
  test('there is none before London', () => {
    expect(
      nextBaseFee({ ...next, rules: { fork: 'berlin' }, parentRules: { fork: 'berlin' } }),
    ).toBeUndefined()
  })

  test('the London block begins at 1 gwei, or at what the genesis block says', () => {
    const london = { ...next, parentRules: { fork: 'berlin' } } as const
    expect(nextBaseFee(london)).toBe(GWEI)
    expect(nextBaseFee({ ...london, genesisBaseFeePerGas: 42n })).toBe(42n)
  })

  test('a fork by time that jumps over London begins the same way', () => {
    expect(nextBaseFee({ ...next, rules: { fork: 'shanghai' }, parentRules: { fork: 'frontier' } })).toBe(
      GWEI,
    )
  })

  test('afterwards the formula holds', () => {
    expect(nextBaseFee(next)).toBe(987_500_000n)
  })

  test('zeroBaseFee is 0 in every block, the London block too', () => {
    const configuration = { ...plain, zeroBaseFee: true }
    expect(nextBaseFee({ ...next, configuration })).toBe(0n)
    expect(nextBaseFee({ ...next, configuration, parentRules: { fork: 'berlin' } })).toBe(0n)
  })

  test("fixedBaseFee is the node's minimum gas price", () => {
    expect(nextBaseFee({ ...next, configuration: { ...plain, fixedBaseFee: true } })).toBe(7n)
  })
})
