import { describe, expect, test } from 'bun:test'
import type { Block } from '../../../core/block/block.ts'
import type { Chain } from '../../../core/chain/chain.ts'
import type { Header } from '../../../core/block/header.ts'
import { ommersHashOf } from '../../../core/chain/rules/body.ts'
import type { RuleName } from '../../../core/chain/rules/invalidBlock.ts'
import { brokenRule, build, importNow, failureOf } from './support/chain.ts'
import { ethashBlock, openEthashChain } from './support/ethash.ts'

const ETHER = 10n ** 18n
const MINER = new Uint8Array(20).fill(0x11)
const OMMER_MINER = new Uint8Array(20).fill(0x22)
const WORD = new Uint8Array(32).fill(7)

const balance = (chain: Chain, address: Uint8Array): bigint | undefined =>
  chain.store.stateAt(chain.head().header.number).account(address)?.balance

const mined = async (chain: Chain, count: number): Promise<readonly Block[]> => {
  const blocks: Block[] = []
  for (let i = 0; i < count; i++) {
    const block = await ethashBlock(chain)
    await importNow(chain, block)
    blocks.push(block)
  }
  return blocks
}

const WORK = { homesteadBlock: 0, byzantiumBlock: 0 }
const STAKE = {
  londonBlock: 0,
  mergeNetSplitBlock: 1,
  shanghaiTime: 1_700_000_000,
  cancunTime: 1_700_000_000,
  pragueTime: 1_800_000_000,
  terminalTotalDifficulty: 0,
}

type Case = {
  readonly rule: RuleName
  readonly when: string
  readonly change: (header: Header) => Partial<Header>
}

const WORK_CASES: readonly Case[] = [
  {
    rule: 'difficulty',
    when: 'the formula gives another',
    change: ({ difficulty }) => ({ difficulty: difficulty + 1n }),
  },
  {
    rule: 'extra-data-size',
    when: 'extraData is too long',
    change: () => ({ extraData: new Uint8Array(33) }),
  },
  {
    rule: 'timestamp-after-parent',
    when: 'it is not later than its parent',
    change: ({ timestamp }) => ({ timestamp: timestamp - 15n }),
  },
  { rule: 'merge', when: 'proof of work has not ended', change: () => ({ difficulty: 0n }) },
  {
    rule: 'gas-limit-step',
    when: 'the gas limit jumps',
    change: ({ gasLimit }) => ({ gasLimit: gasLimit + gasLimit / 1024n }),
  },
  { rule: 'state-root', when: 'the reward is missing from its state', change: () => ({ stateRoot: WORD }) },
]

const STAKE_CASES: readonly Case[] = [
  { rule: 'difficulty', when: 'there still is one', change: () => ({ difficulty: 1n }) },
  { rule: 'nonce', when: 'its nonce is not zero', change: () => ({ nonce: new Uint8Array(8).fill(1) }) },
  { rule: 'ommers-hash', when: 'it names ommers', change: () => ({ ommersHash: WORD }) },
  { rule: 'base-fee-value', when: 'the base fee is another', change: () => ({ baseFeePerGas: 5n }) },
  { rule: 'excess-blob-gas', when: 'the excess is another', change: () => ({ excessBlobGas: 131_072n }) },
  {
    rule: 'beacon-root-presence',
    when: 'it has no beacon root',
    change: () => ({ parentBeaconBlockRoot: undefined }),
  },
  { rule: 'requests-hash-presence', when: 'Prague is not there yet', change: () => ({ requestsHash: WORD }) },
  { rule: 'withdrawals-root', when: 'its withdrawals are others', change: () => ({ withdrawalsRoot: WORD }) },
]

const check = async (
  config: object,
  stake: boolean,
  rule: RuleName,
  change: Case['change'],
): Promise<void> => {
  const chain = await openEthashChain(config)
  await importNow(chain, await ethashBlock(chain, { stake }))
  const block = await ethashBlock(chain, { stake })
  const broken = { ...block, header: { ...block.header, ...change(block.header) } }
  expect(await brokenRule(chain, broken)).toBe(rule)
  expect(await brokenRule(chain, block)).toBeUndefined()
}

describe('given a proof of work block with one fault', () => {
  test.each(WORK_CASES.map(each => [each.rule, each.when, each] as const))(
    'when %s is broken because %s, then that rule is named',
    async (rule, _, { change }) => check(WORK, false, rule, change),
  )

  test('when it is fifteen seconds ahead of the clock, then it is accepted', async () => {
    const chain = await openEthashChain(WORK)
    const block = await ethashBlock(chain)
    const dueMs = Number(block.header.timestamp) * 1000
    expect(await brokenRule(chain, block, dueMs - 16_000)).toBe('future-timestamp')
    expect(await brokenRule(chain, block, dueMs - 15_000)).toBeUndefined()
  })
})

describe('given a proof of stake block with one fault', () => {
  test.each(STAKE_CASES.map(each => [each.rule, each.when, each] as const))(
    'when %s is broken because %s, then that rule is named',
    async (rule, _, { change }) => check(STAKE, true, rule, change),
  )
})

describe('given the merge', () => {
  test('when the terminal total difficulty is reached, then the merge must happen, not earlier or later', async () => {
    const terminal = 3n * 131_072n
    const chain = await openEthashChain({
      ...WORK,
      londonBlock: 0,
      terminalTotalDifficulty: Number(terminal),
    })
    expect(await brokenRule(chain, await ethashBlock(chain, { stake: true }))).toBe('merge')
    await mined(chain, 2)
    expect(chain.head().totalDifficulty >= terminal).toBe(true)
    expect(await brokenRule(chain, await ethashBlock(chain))).toBe('merge')
    expect(
      await brokenRule(chain, await ethashBlock(chain, { stake: true, coinbase: MINER })),
    ).toBeUndefined()
    expect(balance(chain, MINER)).toBeUndefined()
    expect(await brokenRule(chain, await ethashBlock(chain))).toBe('merge')
  })
})

describe('given ommers', () => {
  /** A block that could have been on the chain instead of `block`. */
  const sibling = (block: Block, change: Partial<Header> = {}): Header => ({
    ...block.header,
    coinbase: OMMER_MINER,
    stateRoot: WORD,
    ...change,
  })

  const withOmmers = async (chain: Chain, ommers: readonly Header[]): Promise<Block> => {
    const block = await ethashBlock(chain, { ommers: ommers.slice(0, 2), coinbase: MINER })
    return { ...block, ommers, header: { ...block.header, ommersHash: ommersHashOf(ommers) } }
  }

  test('when one is a sibling of an ancestor, then its miner and its includer are rewarded', async () => {
    const chain = await openEthashChain(WORK)
    const [, second] = await mined(chain, 3)
    const ommer = sibling(second as Block)
    expect(await brokenRule(chain, await withOmmers(chain, [ommer]))).toBeUndefined()
    expect(balance(chain, MINER)).toBe(3n * ETHER + (3n * ETHER) / 32n)
    expect(balance(chain, OMMER_MINER)).toBe((3n * ETHER * 6n) / 8n)
  })

  test('when the parent has one, then the next difficulty counts it', async () => {
    const chain = await openEthashChain(WORK)
    const [first] = await mined(chain, 2)
    await importNow(chain, await withOmmers(chain, [sibling(first as Block)]))
    expect(await brokenRule(chain, await ethashBlock(chain))).toBeUndefined()
  })

  test('when it is up to six generations back, then it is valid', async () => {
    const chain = await openEthashChain(WORK)
    const blocks = await mined(chain, 8)
    expect(await brokenRule(chain, await withOmmers(chain, [sibling(blocks[1] as Block)]))).toBe(
      'ommer-depth',
    )
    expect(await brokenRule(chain, await withOmmers(chain, [sibling(blocks[2] as Block)]))).toBeUndefined()
  })

  test.each([
    ['ommers-count', (blocks: readonly Block[]) => [2, 3, 4].map(at => sibling(blocks[at] as Block))],
    [
      'ommer-duplicate',
      (blocks: readonly Block[]) => [sibling(blocks[3] as Block), sibling(blocks[3] as Block)],
    ],
    ['ommer-is-ancestor', (blocks: readonly Block[]) => [(blocks[3] as Block).header]],
    ['ommer-depth', (blocks: readonly Block[]) => [sibling(blocks[3] as Block, { parentHash: WORD })]],
    ['ommer-header', (blocks: readonly Block[]) => [sibling(blocks[3] as Block, { difficulty: 1n })]],
    ['ommer-header', (blocks: readonly Block[]) => [sibling(blocks[3] as Block, { number: 2n })]],
  ] as const)('when %s, then it is refused', async (rule, ommers) => {
    const chain = await openEthashChain(WORK)
    const blocks = await mined(chain, 5)
    expect(await brokenRule(chain, await withOmmers(chain, ommers(blocks)))).toBe(rule)
  })

  test('when it was included before, then it is refused', async () => {
    const chain = await openEthashChain(WORK)
    const [, second] = await mined(chain, 3)
    const ommer = sibling(second as Block)
    await importNow(chain, await withOmmers(chain, [ommer]))
    expect(await brokenRule(chain, await withOmmers(chain, [ommer]))).toBe('ommer-duplicate')
  })

  test('when it is a sibling of the block itself, then it is not an ommer', async () => {
    const chain = await openEthashChain(WORK)
    await mined(chain, 2)
    const next = await ethashBlock(chain)
    expect(await brokenRule(chain, await withOmmers(chain, [sibling(next)]))).toBe('ommer-depth')
  })
})

test('given withdrawals, when they are paid, then the unit is gwei (EIP-4895)', async () => {
  const chain = await openEthashChain(STAKE)
  const withdrawals = [
    { index: 0n, validatorIndex: 1n, address: MINER, amountGwei: 3n },
    { index: 1n, validatorIndex: 2n, address: MINER, amountGwei: 4n },
    { index: 2n, validatorIndex: 3n, address: OMMER_MINER, amountGwei: 0n },
  ]
  await importNow(chain, await ethashBlock(chain, { stake: true, withdrawals }))
  expect(balance(chain, MINER)).toBe(7_000_000_000n)
  expect(balance(chain, OMMER_MINER)).toBeUndefined()
})

test('given a chain of proof of work or stake, when a block is built, then it is refused', async () => {
  const chain = await openEthashChain(WORK)
  expect(await failureOf(build(chain))).toMatchObject({ code: 'MAKES_NO_BLOCKS' })
  expect(await chain.validators(1n)).toEqual([])
})
