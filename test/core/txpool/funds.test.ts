import { describe, expect, test } from 'bun:test'
import type { RecoveredTransaction } from '../../../core/block/transaction.ts'
import { UNPAYABLE_BY_SENDER_MAX } from '../../../core/txpool/funds.ts'
import type { PoolHead, PoolOrigin, TransactionPool } from '../../../core/txpool/pool.ts'
import { createTransactionPool } from '../../../core/txpool/transactionPool.ts'
import { from, headWith, keyOf, optionsWith, rejectionOf, senderOf } from './fixtures.ts'

const REMOTE: PoolOrigin = { local: false, addedAtMs: 0 }
const FREE = { maxFeePerGas: 0n, maxPriorityFeePerGas: 0n }
/** The gas of a transfer at the prices of the tests. */
const GAS_WEI = 21_000n * 10_000n

const newPool = (options: Parameters<typeof optionsWith>[0] = {}): TransactionPool =>
  createTransactionPool(optionsWith(options))

/** A head on which only these senders have a balance. */
const headOf = (
  balances: Readonly<Record<number, bigint>>,
  more: Parameters<typeof headWith>[0] = {},
): PoolHead => {
  const known = new Map(Object.entries(balances).map(([sender, wei]) => [keyOf(Number(sender)), wei]))
  const head = headWith(more)
  return {
    ...head,
    account: sender => ({ ...head.account(sender), balance: known.get(keyOfBytes(sender)) ?? 0n }),
  }
}
const keyOfBytes = (sender: Uint8Array): string => Buffer.from(sender).toString('hex')

const pays = (sender: number, nonce: number, recipient: number, value: bigint): RecoveredTransaction =>
  from(sender, { nonce: BigInt(nonce), to: senderOf(recipient), value })

const names = (transactions: readonly RecoveredTransaction[]): string[] =>
  transactions.map(({ sender, transaction }) => `${(sender[19] as number) & 0xff}:${transaction.nonce}`)

const drain = (pool: TransactionPool, head: PoolHead): string[] => {
  const candidates = pool.candidates(head)
  const all: RecoveredTransaction[] = []
  for (let next = candidates.next(); next !== undefined; next = candidates.next()) all.push(next)
  return names(all)
}

const refusal = (
  pool: TransactionPool,
  sent: RecoveredTransaction,
  head: PoolHead,
  origin?: PoolOrigin,
): string => rejectionOf(() => pool.add(sent, head, origin)).code

describe('given the balance for pending transactions', () => {
  test('when earlier pending ones of the sender cost something, then that is subtracted', () => {
    const pool = newPool()
    const head = headOf({ 1: 2n * GAS_WEI + 10n, 2: 10n ** 20n })
    pool.add(pays(1, 0, 9, 5n), head)
    // 21,000 gas cost 1,100 wei each at a base fee of 100 and a tip of 1,000.
    const left = 2n * GAS_WEI + 10n - 21_000n * 1_100n - 5n
    expect(refusal(newPool(), pays(1, 0, 9, 2n * GAS_WEI), head)).toBe('INSUFFICIENT_FUNDS')
    pool.add(pays(1, 1, 9, left - GAS_WEI), head)
    expect(pool.isRunnable(senderOf(1))).toBe(true)
    expect(drain(pool, head)).toEqual(['1:0', '1:1'])
  })

  test('when executable pending ones pay the sender, then that counts: fund, then spend, both pending', () => {
    const pool = newPool()
    const head = headOf({ 1: 10n ** 20n })
    const spend = pays(2, 0, 9, 1n)
    expect(refusal(pool, spend, head)).toBe('INSUFFICIENT_FUNDS')
    pool.add(pays(1, 0, 2, GAS_WEI), head)
    expect(refusal(pool, spend, head)).toBe('INSUFFICIENT_FUNDS')
    pool.add(pays(1, 1, 2, 1n), head)
    pool.add(spend, head, REMOTE)
    expect(pool.isRunnable(senderOf(2))).toBe(true)
    expect(pool.explain(spend.transaction.hash, head)?.text).toBe('nonce 0 ready for the next block')
  })

  test('when a payment is replaced, then it no longer counts, and counts again when it returns', () => {
    const pool = newPool({ priceBumpPercent: 0 })
    const head = headOf({ 1: 10n ** 20n })
    pool.add(pays(1, 0, 2, GAS_WEI), head)
    pool.add(from(2, { value: 0n }), head)
    pool.add(pays(1, 0, 3, GAS_WEI), head)
    expect(pool.isRunnable(senderOf(2))).toBe(false)
    pool.add(pays(1, 0, 2, GAS_WEI + 1n), head)
    expect(pool.isRunnable(senderOf(2))).toBe(true)
  })

  test('when a payment waits behind a gap, cannot be paid, or depends on another, then it does not count', () => {
    const spend = from(2, { value: 0n })
    const gap = newPool()
    gap.add(pays(1, 1, 2, GAS_WEI), headOf({ 1: 10n ** 20n }))
    expect(refusal(gap, spend, headOf({ 1: 10n ** 20n }))).toBe('INSUFFICIENT_FUNDS')
    const unpaid = newPool({ balanceCheck: false })
    unpaid.add(pays(1, 0, 2, GAS_WEI), headOf({}))
    unpaid.add(spend, headOf({}))
    expect(unpaid.isRunnable(senderOf(2))).toBe(false)
    const circle = newPool()
    const head = headOf({ 1: 10n ** 20n })
    circle.add(pays(1, 0, 3, 2n * GAS_WEI), head)
    circle.add(pays(3, 0, 2, GAS_WEI), head)
    expect(refusal(circle, spend, head)).toBe('INSUFFICIENT_FUNDS')
  })

  test('when a block names the account, then it is computed again', () => {
    const pool = newPool()
    const funded = pays(1, 0, 2, GAS_WEI)
    pool.add(funded, headOf({ 1: 10n ** 20n }))
    pool.add(from(2, { value: 0n }), headOf({ 1: 10n ** 20n }))
    const after = headOf({ 1: 10n ** 19n, 2: GAS_WEI }, { nonces: new Map([[keyOf(1), 1n]]) })
    pool.removeMined([funded], after)
    expect(drain(pool, after)).toEqual(['2:0'])
    // A contract moved the balance.
    pool.updateSenders([senderOf(2)], headOf({}))
    expect(pool.hasRunnable).toBe(false)
    expect(drain(pool, headOf({}))).toEqual([])
  })
})

describe('given a known sender', () => {
  test('when it has executable transactions, then a few unpayable ones behind them are kept, and no more', () => {
    const pool = newPool()
    const head = headOf({ 1: GAS_WEI })
    pool.add(from(1, { value: 0n }), head)
    for (let nonce = 1; nonce <= UNPAYABLE_BY_SENDER_MAX; nonce++) pool.add(pays(1, nonce, 9, GAS_WEI), head)
    expect(refusal(pool, pays(1, UNPAYABLE_BY_SENDER_MAX + 1, 9, GAS_WEI), head)).toBe('INSUFFICIENT_FUNDS')
    expect(drain(pool, head)).toEqual(['1:0'])
  })

  test('when it has no executable one, then none are kept', () => {
    const pool = newPool()
    const head = headOf({ 1: GAS_WEI }, { nonces: new Map([[keyOf(1), 1n]]) })
    expect(refusal(pool, pays(1, 1, 9, GAS_WEI), head)).toBe('INSUFFICIENT_FUNDS')
    pool.add(from(1, { nonce: 2n, value: 0n }), head)
    expect(refusal(pool, pays(1, 3, 9, GAS_WEI), head)).toBe('INSUFFICIENT_FUNDS')
  })

  test('when it reaches its share of the pool, then a lower nonce replaces its last one', () => {
    const limits = { transactionsMax: 40, bytesMax: 1_000_000, futureBySenderMax: 200 }
    const pool = newPool({ limits, senderShare: 0.1 })
    const head = headWith()
    for (const nonce of [1n, 2n, 3n, 4n]) pool.add(from(1, { nonce }), head)
    expect(refusal(pool, from(1, { nonce: 5n }), head)).toBe('SENDER_LIMIT_REACHED')
    pool.add(from(1, { nonce: 0n }), head)
    expect(names(pool.list())).toEqual(['1:0', '1:1', '1:2', '1:3'])
    pool.add(from(2), head)
    expect(pool.size).toBe(5)
  })

  test('when it reaches its share of the bytes, then more are refused', () => {
    const limits = { transactionsMax: 1_000, bytesMax: 64 * 1024 * 1024, futureBySenderMax: 200 }
    const pool = newPool({ limits, senderShare: 0.05 })
    const data = new Uint8Array(1_000_000)
    const large = (nonce: number) => from(1, { nonce: BigInt(nonce), data, gasLimit: 16_000_000n })
    for (let nonce = 0; nonce < 3; nonce++) pool.add(large(nonce), headWith())
    expect(refusal(pool, large(3), headWith())).toBe('SENDER_LIMIT_REACHED')
  })
})

describe('given a pool that needs room', () => {
  const limits = { transactionsMax: 4, bytesMax: 1_000_000, futureBySenderMax: 200 }

  test('when transactions became unpayable, then they go first, however high their price', () => {
    const pool = newPool({ limits })
    const rich = headWith()
    pool.add(from(1, { maxFeePerGas: 90_000n }), rich)
    for (const sender of [2, 3]) pool.add(from(sender), rich)
    pool.add(from(4, { nonce: 5n }), rich)
    const drained = headWith({ balances: new Map([[keyOf(1), 5n]]) })
    pool.updateSenders([senderOf(1)], drained)
    pool.add(from(5), drained)
    expect(names(pool.list())).toEqual(['2:0', '3:0', '4:5', '5:0'])
    pool.add(from(6), drained)
    expect(names(pool.list())).toEqual(['2:0', '3:0', '5:0', '6:0'])
  })

  test('when prices are equal, then those of peers go before those of RPC, unless locals have no priority', () => {
    const keepsLocal = newPool({ limits })
    for (const sender of [1, 2, 3]) keepsLocal.add(from(sender), headWith(), REMOTE)
    for (const sender of [4, 5]) keepsLocal.add(from(sender), headWith())
    expect(names(keepsLocal.list())).toEqual(['1:0', '2:0', '4:0', '5:0'])
    const alike = newPool({ limits, localPriority: false })
    for (const sender of [1, 2, 3]) alike.add(from(sender), headWith(), REMOTE)
    alike.add(from(4), headWith())
    expect(refusal(alike, from(5), headWith())).toBe('POOL_FULL')
  })
})

describe('given free gas', () => {
  const limits = { transactionsMax: 100, bytesMax: 1_000_000, futureBySenderMax: 200 }
  const free = (sender: number, nonce = 0): RecoveredTransaction =>
    from(sender, { ...FREE, nonce: BigInt(nonce), value: 0n, gasLimit: 21_000n + BigInt(sender) })
  const head = headOf({ 1: 1n, 2: 1n, 3: 1n }, { baseFee: 0n })

  test('when senders are unknown to the state, then they have a tenth of the pool', () => {
    const pool = newPool({ limits })
    for (let sender = 10; sender < 20; sender++) pool.add(free(sender), head, REMOTE)
    expect(refusal(pool, free(20), head, REMOTE)).toBe('POOL_FULL')
    expect(refusal(pool, free(10, 1), head, REMOTE)).toBe('POOL_FULL')
    pool.add(free(1), head)
    expect(pool.size).toBe(11)
  })

  test('when some of theirs are executable, then they replace those that are not', () => {
    const pool = newPool({ limits })
    for (let sender = 10; sender < 20; sender++) pool.add(free(sender, 7), head)
    pool.add(free(20), head)
    expect(pool.size).toBe(10)
    expect(pool.isRunnable(senderOf(20))).toBe(true)
  })

  test('when room is needed, then theirs go first, and are last in a block', () => {
    const small = { ...limits, transactionsMax: 3 }
    const pool = newPool({ limits: small })
    pool.add(free(10), head)
    for (const sender of [1, 2]) pool.add(free(sender), head)
    expect(drain(pool, head)).toEqual(['1:0', '2:0', '10:0'])
    pool.add(free(3), head)
    expect(names(pool.list())).toEqual(['1:0', '2:0', '3:0'])
  })

  test('when a sender has a nonce, or a pending transaction pays it, then it is known', () => {
    const pool = newPool({ limits })
    for (let sender = 10; sender < 20; sender++) pool.add(free(sender), head)
    pool.add(free(20, 1), headOf({}, { baseFee: 0n, nonces: new Map([[keyOf(20), 1n]]) }), REMOTE)
    pool.add(from(1, { ...FREE, to: senderOf(21), value: 1n }), head)
    pool.add(free(21), head)
    expect(pool.size).toBe(13)
  })
})

describe('given old transactions', () => {
  test('when they exceed the retention time, then the oldest go first, a limited number at a time', () => {
    const pool = newPool()
    for (const sender of [1, 2, 3, 4])
      pool.add(from(sender), headWith(), { local: true, addedAtMs: 1000 * sender })
    expect(pool.dropOlderThan(3500, 2)).toBe(2)
    expect(names(pool.list())).toEqual(['3:0', '4:0'])
    expect(pool.dropOlderThan(3500, 2)).toBe(1)
    expect(pool.dropOlderThan(3500, 2)).toBe(0)
    expect(names(pool.list())).toEqual(['4:0'])
  })
})
