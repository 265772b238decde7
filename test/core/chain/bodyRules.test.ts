import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Block } from '../../../core/block/block.ts'
import type { Header } from '../../../core/block/header.ts'
import { ommersHashOf, transactionsRootOf, withdrawalsRootOf } from '../../../core/chain/rules/body.ts'
import { InvalidBlock } from '../../../core/chain/rules/invalidBlock.ts'
import type { RecoveredTransaction } from '../../../core/block/transaction.ts'
import {
  brokenRule,
  extend,
  importNow,
  nextBlock,
  openTestChain,
  resealed,
  type TestGenesis,
  transfer,
} from './support/chain.ts'
import { USERS } from './support/keys.ts'

// A block of 8 MiB takes a second to build, and several on a busy machine.
setDefaultTimeout(120_000)

const [ALICE] = USERS

/** A valid block with another body and a matching header. */
const withBody = (block: Block, body: Partial<Block>): Block => {
  const changed = { ...block, ...body }
  const roots: Partial<Header> = {
    transactionsRoot: transactionsRootOf(changed.transactions),
    ommersHash: ommersHashOf(changed.ommers),
    withdrawalsRoot:
      block.header.withdrawalsRoot === undefined ? undefined : withdrawalsRootOf(changed.withdrawals ?? []),
  }
  return resealed(changed, roots)
}

const ruleOfBody = async (body: (block: Block) => Partial<Block>, genesis: TestGenesis = {}) => {
  const chain = await openTestChain(genesis)
  await extend(chain)
  const block = await nextBlock(chain, [transfer(ALICE, 0)])
  return brokenRule(chain, withBody(block, body(block)))
}

describe('given a body that its header describes, and that breaks a rule', () => {
  test('when a QBFT block has ommers, then it is refused', async () => {
    expect(await ruleOfBody(block => ({ ommers: [block.header] }))).toBe('ommers-count')
  })

  test('when it has withdrawals before Shanghai, then it is refused', async () => {
    expect(await ruleOfBody(() => ({ withdrawals: [] }), { fork: 'london' })).toBe('withdrawals-presence')
  })

  test('when it has no list of them from Shanghai on, then it is refused', async () => {
    expect(await ruleOfBody(() => ({ withdrawals: undefined }))).toBe('withdrawals-presence')
  })

  test('when a QBFT block has withdrawals, then it is refused', async () => {
    const withdrawal = { index: 0n, validatorIndex: 0n, address: ALICE.address, amountGwei: 1n }
    expect(await ruleOfBody(() => ({ withdrawals: [withdrawal] }))).toBe('withdrawals-not-applicable')
  })

  test('when it exceeds 8 MiB from Osaka on (EIP-7934), then it is refused, and not before', async () => {
    const data = new Uint8Array(8 * 1024 * 1024)
    const big = () => ({ transactions: [transfer(ALICE, 0, { data }).transaction] })
    expect(await ruleOfBody(big, { fork: 'osaka' })).toBe('block-size')
    // There the transaction is refused, because it would need too much gas.
    expect(await ruleOfBody(big, { fork: 'prague' })).toBe('transaction')
  })
})

const blobs = {
  type: 3,
  blobVersionedHashes: [new Uint8Array(32).fill(1, 0, 1)],
  maxFeePerBlobGas: 1n,
} as const

/** Transactions that are invalid in block 2, after one of ALICE's in block 1. */
const REFUSED: readonly (readonly [string, string, () => readonly RecoveredTransaction[], TestGenesis?])[] = [
  ['a nonce that was used', 'NONCE_TOO_LOW', () => [transfer(ALICE, 0)]],
  ['a nonce ahead', 'NONCE_TOO_HIGH', () => [transfer(ALICE, 2)]],
  ['the same transaction twice', 'NONCE_TOO_LOW', () => [transfer(ALICE, 1), transfer(ALICE, 1)]],
  ['another chain id', 'WRONG_CHAIN_ID', () => [transfer(ALICE, 1, { chainId: 1n })]],
  ['less gas than it costs to begin', 'INTRINSIC_GAS', () => [transfer(ALICE, 1, { gasLimit: 20_999n })]],
  [
    'more gas than the block has',
    'GAS_ABOVE_BLOCK_LIMIT',
    () => [transfer(ALICE, 1, { gasLimit: 40_000_000n })],
  ],
  [
    'more gas than a transaction may have from Osaka (EIP-7825)',
    'GAS_ABOVE_TRANSACTION_CAP',
    () => [transfer(ALICE, 1, { gasLimit: 16_777_217n })],
    { fork: 'osaka' },
  ],
  [
    'less than the base fee',
    'FEE_BELOW_BASE_FEE',
    () => [transfer(ALICE, 1, { maxFeePerGas: 1n, maxPriorityFeePerGas: 1n })],
  ],
  ['more value than there is', 'INSUFFICIENT_FUNDS', () => [transfer(ALICE, 1, { value: 10n ** 30n })]],
  [
    'an access list before Berlin',
    'TYPE_NOT_SUPPORTED',
    () => [transfer(ALICE, 1, { type: 1 })],
    { fork: 'istanbul' },
  ],
  [
    'a fee market before London',
    'TYPE_NOT_SUPPORTED',
    () => [transfer(ALICE, 1, { type: 2 })],
    { fork: 'berlin' },
  ],
  ['blobs before Cancun', 'TYPE_NOT_SUPPORTED', () => [transfer(ALICE, 1, blobs)], { fork: 'shanghai' }],
  [
    'a delegation before Prague',
    'TYPE_NOT_SUPPORTED',
    () => [transfer(ALICE, 1, { type: 4 })],
    { fork: 'cancun' },
  ],
  ['a delegation of nothing', 'EMPTY_AUTHORIZATION_LIST', () => [transfer(ALICE, 1, { type: 4 })]],
]

describe('given a block with an invalid transaction', () => {
  test.each(REFUSED)('when it is %s, then the rule is %s', async (_, code, transactions, genesis = {}) => {
    const chain = await openTestChain(genesis)
    await extend(chain, [transfer(ALICE, 0)])
    const block = await nextBlock(chain)
    const broken = withBody(block, { transactions: transactions().map(({ transaction }) => transaction) })
    const error = await importNow(chain, broken).catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(InvalidBlock)
    expect(error).toMatchObject({ rule: 'transaction', cause: { code } })
    expect(chain.head().header.number).toBe(1n)
  })

  test('when the signature is of no key, or not allowed, then it is refused', async () => {
    const { transaction } = transfer(ALICE, 0)
    const order = 0xffffffff_ffffffff_ffffffff_fffffffe_baaedce6_af48a03b_bfd25e8c_d0364141n
    const ruleOf = (broken: object) => ruleOfBody(() => ({ transactions: [{ ...transaction, ...broken }] }))
    expect(await ruleOf({ r: 0n })).toBe('transaction-signature')
    expect(await ruleOf({ s: 0n })).toBe('transaction-signature')
    expect(await ruleOf({ r: order })).toBe('transaction-signature')
    // A high s has a signer; EIP-2 forbids it.
    expect(await ruleOf({ s: order - transaction.s, yParity: 1 - transaction.yParity })).toBe('transaction')
  })
})
