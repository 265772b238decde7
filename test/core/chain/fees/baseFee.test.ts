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

describe('given baseFeeAfter (EIP-1559)', () => {
  test.each([
    ['at the target it stays', 10_000_000n, 1_000_000_000n],
    ['below it falls', 9_000_000n, 987_500_000n],
    ['above it rises', 11_000_000n, 1_012_500_000n],
    ['an empty block takes an eighth', 0n, 875_000_000n],
    ['a full block adds an eighth', 20_000_000n, 1_125_000_000n],
  ])('when %s, then it follows the formula', (_, gasUsed, expected) => {
    expect(baseFeeAfter({ gasLimit: 20_000_000n, gasUsed, baseFeePerGas: GWEI })).toBe(expected)
  })

  test('when the gas is above the target, then it rises by at least one wei', () => {
    expect(baseFeeAfter({ gasLimit: 20_000_000n, gasUsed: 10_000_001n, baseFeePerGas: 1n })).toBe(2n)
    expect(baseFeeAfter({ gasLimit: 20_000_000n, gasUsed: 10_000_001n, baseFeePerGas: 0n })).toBe(1n)
  })

  test('when a genesis block has none, then it counts as 0', () => {
    expect(baseFeeAfter({ gasLimit: 20_000_000n, gasUsed: 0n, baseFeePerGas: undefined })).toBe(0n)
  })
})

describe('given nextBaseFee', () => {
  test('when it is before London, then there is none', () => {
    expect(
      nextBaseFee({ ...next, rules: { fork: 'berlin' }, parentRules: { fork: 'berlin' } }),
    ).toBeUndefined()
  })

  test('when it is the London block, then it begins at 1 gwei, or at the genesis block’s', () => {
    const london = { ...next, parentRules: { fork: 'berlin' } } as const
    expect(nextBaseFee(london)).toBe(GWEI)
    expect(nextBaseFee({ ...london, genesisBaseFeePerGas: 42n })).toBe(42n)
  })

  test('when a fork by time jumps over London, then it begins the same way', () => {
    expect(nextBaseFee({ ...next, rules: { fork: 'shanghai' }, parentRules: { fork: 'frontier' } })).toBe(
      GWEI,
    )
  })

  test('when it is later, then it follows the formula', () => {
    expect(nextBaseFee(next)).toBe(987_500_000n)
  })

  test('when zeroBaseFee is set, then it is 0 in every block, even the London block', () => {
    const configuration = { ...plain, zeroBaseFee: true }
    expect(nextBaseFee({ ...next, configuration })).toBe(0n)
    expect(nextBaseFee({ ...next, configuration, parentRules: { fork: 'berlin' } })).toBe(0n)
  })

  test('when fixedBaseFee is set, then it is the node’s minimum gas price', () => {
    expect(nextBaseFee({ ...next, configuration: { ...plain, fixedBaseFee: true } })).toBe(7n)
  })
})
