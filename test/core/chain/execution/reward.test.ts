import { describe, expect, test } from 'bun:test'
import { beneficiaryOf, rewardCredits, withdrawalCredits } from '../../../../core/chain/execution/reward.ts'
import type { Consensus, QbftParameters } from '../../../../core/genesis/configuration.ts'
import type { ForkName } from '../../../../core/genesis/fork.ts'
import { DEFAULT_MESSAGING, DEFAULT_PARAMETERS } from '../../../support/chains/qbftDefaults.ts'

const ETHER = 10n ** 18n
const address = (byte: number): Uint8Array => new Uint8Array(20).fill(byte)
const PROPOSER = address(1)
const BENEFICIARY = address(2)

const ethash = { consensus: { kind: 'ethash', terminalTotalDifficulty: undefined } as Consensus }

const qbft = (
  from: Partial<QbftParameters>,
  ...transitions: readonly [bigint, Partial<QbftParameters>][]
) => ({
  consensus: {
    kind: 'qbft',
    parameters: { ...DEFAULT_PARAMETERS, ...from },
    transitions: transitions.map(([block, change]) => ({
      block,
      parameters: { ...DEFAULT_PARAMETERS, ...change },
      validators: undefined,
    })),
    startBlock: 0n,
    messaging: DEFAULT_MESSAGING,
  } satisfies Consensus,
})

const at = (number: bigint, ...ommers: readonly (readonly [bigint, number])[]) => ({
  header: { number, timestamp: 0n, coinbase: PROPOSER },
  ommers: ommers.map(([ommerNumber, byte]) => ({ number: ommerNumber, coinbase: address(byte) })),
})

describe('given rewardCredits of proof of work', () => {
  test.each([
    ['frontier', 5n * ETHER],
    ['spuriousDragon', 5n * ETHER],
    ['byzantium', 3n * ETHER],
    ['constantinople', 2n * ETHER],
    ['grayGlacier', 2n * ETHER],
  ] as [ForkName, bigint][])('when it is %s, then it pays %s wei', (fork, wei) => {
    expect(rewardCredits(ethash, fork, at(100n))).toEqual([{ address: PROPOSER, wei }])
  })

  test('when it is Paris or later, then nobody is paid', () => {
    expect(rewardCredits(ethash, 'paris', at(100n))).toEqual([])
    expect(rewardCredits(ethash, 'osaka', at(100n))).toEqual([])
  })

  test('when there are ommers, then each generation costs an eighth, and the includer gets a 32nd for each', () => {
    expect(rewardCredits(ethash, 'istanbul', at(100n, [99n, 7], [94n, 8]))).toEqual([
      { address: address(7), wei: (2n * ETHER * 7n) / 8n },
      { address: address(8), wei: (2n * ETHER * 2n) / 8n },
      { address: PROPOSER, wei: 2n * ETHER + 2n * (ETHER / 16n) },
    ])
  })
})

describe('given rewardCredits of QBFT', () => {
  test('when the reward is 0, then no account is touched', () => {
    expect(rewardCredits(qbft({}), 'berlin', at(1n))).toEqual([])
  })

  test('when a beneficiary is configured, then it is paid, otherwise the proposer', () => {
    expect(rewardCredits(qbft({ blockReward: 5n }), 'shanghai', at(1n))).toEqual([
      { address: PROPOSER, wei: 5n },
    ])
    const configuration = qbft({ blockReward: 5n, miningBeneficiary: BENEFICIARY })
    expect(rewardCredits(configuration, 'shanghai', at(1n))).toEqual([{ address: BENEFICIARY, wei: 5n }])
  })

  test('when there are transitions, then reward and beneficiary follow them', () => {
    const configuration = qbft(
      { blockReward: 5n },
      [2n, { blockReward: 5n, miningBeneficiary: BENEFICIARY }],
      [4n, { blockReward: 7n }],
    )
    const paid = (number: bigint) => rewardCredits(configuration, 'london', at(number))
    expect(paid(1n)).toEqual([{ address: PROPOSER, wei: 5n }])
    expect(paid(2n)).toEqual([{ address: BENEFICIARY, wei: 5n }])
    expect(paid(3n)).toEqual([{ address: BENEFICIARY, wei: 5n }])
    expect(paid(4n)).toEqual([{ address: PROPOSER, wei: 7n }])
    expect(beneficiaryOf(configuration, at(3n).header)).toBe(BENEFICIARY)
    expect(beneficiaryOf(configuration, at(4n).header)).toBe(PROPOSER)
  })
})

test('given withdrawals, when they are credited, then the unit is gwei, and zero creates no account', () => {
  const withdrawal = { index: 0n, validatorIndex: 0n, address: PROPOSER, amountGwei: 3n }
  expect(withdrawalCredits([withdrawal, { ...withdrawal, amountGwei: 0n }])).toEqual([
    { address: PROPOSER, wei: 3_000_000_000n },
  ])
})
