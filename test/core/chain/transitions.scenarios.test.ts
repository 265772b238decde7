import { describe, expect, test } from 'bun:test'
import { type Address, ZERO_HASH } from '../../../core/bytes/bytes.ts'
import { fromHex, toHex } from '../../../core/bytes/hex.ts'
import { decodeExtraData, encodeExtraData } from '../../../core/block/codec/extraData.ts'
import type { Chain } from '../../../core/chain/chain.ts'
import { type QbftConsensus, qbftAt } from '../../../core/genesis/qbftSchedule.ts'
import {
  brokenRule,
  build,
  extend,
  failureOf,
  importNow,
  openTestChain,
  resealed,
  sealedHeader,
  transfer,
} from './support/chain.ts'
import { USERS, VALIDATORS } from './support/keys.ts'

const ETHER = 10n ** 18n
const [ALICE] = USERS
const [V0] = VALIDATORS
const B1 = new Uint8Array(20).fill(0xb1)
const B2 = new Uint8Array(20).fill(0xb2)

const openWith = (transitions: readonly object[], qbft: object = {}, more: object = {}): Promise<Chain> =>
  openTestChain({ fork: 'london', qbft, config: { ...more, transitions: { qbft: transitions } } })

/** With forks by time, below which Besu reads transitions by time. */
const openBesides = (transitions: readonly object[], qbft: object = {}): Promise<Chain> =>
  openTestChain({ fork: 'prague', qbft, config: { transitions: { qbft: transitions } } })

/** The rule that a next block so many seconds after its parent violates; undefined when it is accepted and imported. */
const after = async (chain: Chain, seconds: bigint): Promise<string | undefined> => {
  const timestamp = chain.head().header.timestamp + seconds
  // Built as late as any period requires, so that only the import checks the time.
  const { block } = await build(chain, [], { timestamp: chain.head().header.timestamp + 100n })
  return brokenRule(chain, { ...block, header: sealedHeader({ ...block.header, timestamp }) })
}

const balance = (chain: Chain, address: Address): bigint =>
  chain.store.stateAt(chain.head().header.number).account(address)?.balance ?? 0n

describe('given transitions of the block period', () => {
  test('when it is 10 seconds and 20 from block 2 on, then each block has its own', async () => {
    const chain = await openWith([
      { block: 1, blockperiodseconds: 10 },
      { block: 2, blockperiodseconds: 20 },
    ])
    expect(await after(chain, 9n)).toBe('timestamp-spacing')
    expect(await after(chain, 10n)).toBeUndefined()
    expect(await after(chain, 19n)).toBe('timestamp-spacing')
    expect(await after(chain, 20n)).toBeUndefined()
  })

  test('when it grows and shrinks, then it does at exactly its block', async () => {
    const chain = await openWith([
      { block: 3, blockperiodseconds: 5 },
      { block: 4, blockperiodseconds: '1' },
    ])
    expect(await after(chain, 2n)).toBeUndefined()
    expect(await after(chain, 2n)).toBeUndefined()
    expect(await after(chain, 4n)).toBe('timestamp-spacing')
    expect(await after(chain, 5n)).toBeUndefined()
    expect(await after(chain, 0n)).toBe('timestamp-spacing')
    expect(await after(chain, 1n)).toBeUndefined()
  })

  test('when it is in milliseconds, then the spacing rule is off from its block on, and 0 restores it', async () => {
    const chain = await openWith([
      { block: 2, xblockperiodmilliseconds: 100 },
      { block: 4, xblockperiodmilliseconds: 0 },
    ])
    expect(await after(chain, 0n)).toBe('timestamp-spacing')
    expect(await after(chain, 2n)).toBeUndefined()
    expect(await after(chain, 0n)).toBeUndefined()
    expect(await after(chain, 0n)).toBeUndefined()
    expect(await after(chain, 1n)).toBe('timestamp-spacing')
    expect(await after(chain, 2n)).toBeUndefined()
  })

  test('when it is that of empty blocks, then it changes at its block and survives other transitions', async () => {
    const chain = await openWith([
      { block: 2, emptyblockperiodseconds: 60 },
      { block: 3, blockreward: '1' },
      { block: 5, xemptyblockperiodseconds: 0 },
    ])
    const consensus = chain.configuration.consensus as QbftConsensus
    const periods = [1n, 2n, 3n, 4n, 5n].map(number => qbftAt(consensus, number, 0n).emptyBlockPeriodSeconds)
    expect(periods).toEqual([0, 60, 60, 60, 0])
  })
})

describe('given transitions of the block reward', () => {
  test('when it changes, even to zero, then it does at exactly its block', async () => {
    const chain = await openWith(
      [
        { block: 2, blockreward: '0x1bc16d674ec80000' },
        { block: 4, blockreward: 0 },
      ],
      { blockreward: '5000000000000000000' },
    )
    const earned: bigint[] = []
    for (let number = 1; number <= 5; number++) {
      await extend(chain)
      earned.push(balance(chain, V0.address) / ETHER)
    }
    expect(earned).toEqual([5n, 7n, 9n, 9n, 9n])
  })

  test('when a beneficiary is in force, then it gets it; the empty string gives it back to the proposer', async () => {
    const chain = await openWith(
      [
        { block: 2, miningbeneficiary: toHex(B1) },
        { block: 3, miningbeneficiary: toHex(B2) },
        { block: 6, miningbeneficiary: '' },
        { block: 8, miningbeneficiary: toHex(B1) },
      ],
      { blockreward: '5000000000000000000' },
    )
    const paid: (readonly bigint[])[] = []
    for (let number = 1; number <= 8; number++) {
      await extend(chain)
      paid.push([V0.address, B1, B2].map(address => balance(chain, address) / ETHER))
    }
    expect(paid).toEqual([
      [5n, 0n, 0n],
      [5n, 5n, 0n],
      [5n, 5n, 5n],
      [5n, 5n, 10n],
      [5n, 5n, 15n],
      [10n, 5n, 15n],
      [15n, 5n, 15n],
      [15n, 10n, 15n],
    ])
  })

  test('when a block pays by another transition, then it is refused', async () => {
    const maker = await openWith([{ block: 2, blockreward: '1' }])
    const chain = await openWith([{ block: 3, blockreward: '1' }])
    const first = await extend(maker)
    const second = await extend(maker)
    expect(await brokenRule(chain, first)).toBeUndefined()
    expect(await brokenRule(chain, second)).toBe('state-root')
  })
})

test('given a beneficiary, when it is in force, then fees and COINBASE follow it, and the header does not', async () => {
  // SSTORE(NUMBER, COINBASE).
  const contract = new Uint8Array(20).fill(0xcb)
  const chain = await openTestChain({
    alloc: { [toHex(contract)]: { balance: '0x0', code: '0x41435500' } },
    config: {
      zeroBaseFee: true,
      transitions: {
        qbft: [
          { block: 2, miningbeneficiary: toHex(B1) },
          { block: 3, miningbeneficiary: '' },
        ],
      },
    },
  })
  for (let number = 1; number <= 3; number++) {
    const call = transfer(ALICE, number - 1, { to: contract, value: 0n, gasLimit: 100_000n })
    const block = await extend(chain, [call])
    expect(block.header.coinbase).toEqual(V0.address)
  }
  const state = chain.store.stateAt(3n)
  const account = state.account(contract)
  const seen = [1, 2, 3].map(number => {
    const slot = Uint8Array.of(...ZERO_HASH.subarray(1), number)
    return account === undefined ? undefined : toHex(state.storage(contract, account, slot).subarray(12))
  })
  expect(seen).toEqual([V0.address, B1, V0.address].map(toHex))
  expect(balance(chain, B1)).toBeGreaterThan(0n)
  expect(balance(chain, V0.address)).toBe(2n * balance(chain, B1))
})

test('given a transition, when it leaves out a value, then the value stays', async () => {
  const chain = await openWith(
    [
      { block: 1, blockreward: '7', miningbeneficiary: toHex(B1) },
      { block: 2, blockperiodseconds: 9 },
      { block: 3, blockreward: '8' },
    ],
    { epochlength: 77 },
  )
  const consensus = chain.configuration.consensus as QbftConsensus
  expect(qbftAt(consensus, 3n, 0n)).toEqual({
    blockPeriodSeconds: 9,
    blockPeriodMs: 0,
    emptyBlockPeriodSeconds: 0,
    epochLength: 77n,
    requestTimeoutSeconds: 1,
    blockReward: 8n,
    perTxGasLimit: undefined,
    miningBeneficiary: fromHex(toHex(B1)),
    validatorSelection: { mode: 'blockheader' },
  })
})

describe('given a fork by time below transitions by number', () => {
  const transitions = [
    { block: 2, blockreward: '5', miningbeneficiary: toHex(B1) },
    { block: 100_000, blockreward: '7', miningbeneficiary: toHex(B2) },
  ]
  const asBesu = () => openBesides(transitions, { besuTransitionTimes: true })

  test('when the file follows Besu, then the last number is paid from the first block on, and the next node agrees', async () => {
    const chain = await asBesu()
    const block = await extend(chain)
    expect([balance(chain, B1), balance(chain, B2)]).toEqual([0n, 7n])
    expect(await brokenRule(await asBesu(), block)).toBeUndefined()
  })

  test('when a block follows the other reading, then its refusal names the rule and both entries', async () => {
    const block = await extend(await asBesu())
    const chain = await openBesides(transitions)
    const error = await failureOf(importNow(chain, block))
    expect((error as Error).message).toBe(
      'Block 1 is invalid (transitions): expected blockreward 0, miningbeneficiary none of config.qbft, found blockreward 7, miningbeneficiary 0xb2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2 of config.transitions.qbft[block 100000], as of Besu, which reads "block" as a time from shanghaiTime 0 on, which makes another state-root: config.qbft.besuTransitionTimes must be the same in all nodes',
    )
    expect(await brokenRule(await asBesu(), await extend(chain))).toBe('transitions')
  })

  test('when a block lists no validators as the other reading selects them, then its refusal names the entry', async () => {
    const contract = [
      { block: 1_000, validatorselectionmode: 'contract', validatorcontractaddress: toHex(B1) },
    ]
    const chain = await openBesides(contract)
    const { block } = await build(chain)
    const extraData = encodeExtraData({ ...decodeExtraData(block.header.extraData), validators: [] })
    const error = await failureOf(importNow(chain, resealed(block, { extraData })))
    expect(error).toMatchObject({
      rule: 'transitions',
      found: expect.stringContaining('config.transitions.qbft[block 1000]'),
    })
  })

  test('when the proposal follows the other reading, then it is refused for the same reason', async () => {
    const { block } = await build(await asBesu())
    const chain = await openBesides(transitions)
    expect(await failureOf(chain.verifyBlock(block, { nowMs: Number.MAX_SAFE_INTEGER }))).toMatchObject({
      rule: 'transitions',
    })
  })
})
