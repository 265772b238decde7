import { describe, expect, test } from 'bun:test'
import type { RecoveredTransaction } from '../../../core/block/transaction.ts'
import type { PoolHead, PooledTransaction, TransactionPool } from '../../../core/txpool/pool.ts'
import { POOL_OPTIONS } from '../../../core/txpool/admission.ts'
import { LATE_SENDERS_MAX } from '../../../core/txpool/limits.ts'
import { createTransactionPool } from '../../../core/txpool/transactionPool.ts'
import { from, headWith, keyOf, optionsWith, rejectionOf, senderOf } from './fixtures.ts'

const HEAD = headWith()

const newPool = (options: Parameters<typeof optionsWith>[0] = {}): TransactionPool =>
  createTransactionPool(optionsWith(options))

const drain = (pool: TransactionPool, head: PoolHead = HEAD): RecoveredTransaction[] => {
  const candidates = pool.candidates(head)
  const all: RecoveredTransaction[] = []
  for (let next = candidates.next(); next !== undefined; next = candidates.next()) all.push(next)
  return all
}

/** `sender:nonce` of each transaction. */
const names = (transactions: readonly RecoveredTransaction[]): string[] =>
  transactions.map(({ sender, transaction }) => `${(sender[19] as number) & 0xff}:${transaction.nonce}`)

const paying = (sender: number, nonce: number, priority: bigint, max = 10_000n) =>
  from(sender, { nonce: BigInt(nonce), maxPriorityFeePerGas: priority, maxFeePerGas: max })

describe('given the candidates for a block', () => {
  test('when they are taken, then the best tip is first, each sender in nonce order', () => {
    const pool = newPool()
    for (const one of [paying(1, 0, 10n), paying(1, 1, 90n), paying(2, 0, 50n), paying(3, 0, 70n)])
      pool.add(one, HEAD)
    expect(names(drain(pool))).toEqual(['3:0', '2:0', '1:0', '1:1'])
  })

  test('when tips are equal, then the earliest is first', () => {
    const pool = newPool()
    for (const sender of [5, 3, 9]) pool.add(paying(sender, 0, 10n), HEAD)
    expect(names(drain(pool))).toEqual(['5:0', '3:0', '9:0'])
  })

  test('when the max fee is low, then what it leaves above the base fee counts, not the offered tip', () => {
    const pool = newPool()
    pool.add(paying(1, 0, 5_000n, 5_100n), HEAD)
    pool.add(paying(2, 0, 200n, 9_000n), HEAD)
    expect(names(drain(pool, headWith({ baseFee: 5_000n })))).toEqual(['2:0', '1:0'])
  })

  test('when one does not pay the base fee, then it and all behind it are left out', () => {
    const pool = newPool()
    for (const one of [paying(1, 0, 1n, 100n), paying(1, 1, 1n), paying(2, 0, 1n)]) pool.add(one, HEAD)
    expect(names(drain(pool, headWith({ baseFee: 101n })))).toEqual(['2:0'])
  })

  test('when a sender has priority, then its transactions come first and are evicted last', () => {
    const limits = { ...POOL_OPTIONS.limits, transactionsMax: 3 }
    const pool = createTransactionPool(optionsWith({ limits, prioritySenders: new Set([keyOf(2)]) }))
    for (const one of [paying(1, 0, 9n), paying(2, 0, 1n), paying(1, 1, 9n), paying(3, 0, 5n)])
      pool.add(one, HEAD)
    expect(names(drain(pool))).toEqual(['2:0', '1:0', '3:0'])
  })

  test('when one waits behind a gap, then it is left out', () => {
    const pool = newPool()
    for (const one of [paying(1, 0, 1n), paying(1, 2, 1n), paying(2, 1, 1n)]) pool.add(one, HEAD)
    expect(names(drain(pool))).toEqual(['1:0'])
  })

  test('when a sender cannot pay for its first one, then it is left out', () => {
    const pool = newPool()
    const cost = 21_000n * 10_000n + 1n
    pool.add(paying(1, 0, 1n), HEAD)
    // The pool has not received the new head yet.
    expect(drain(pool, headWith({ balances: new Map([[keyOf(1), cost - 1n]]) }))).toEqual([])
    expect(drain(pool, headWith({ balances: new Map([[keyOf(1), cost]]) }))).toHaveLength(1)
  })

  test('when a sender is skipped, then none of its later ones come', () => {
    const pool = newPool()
    for (const one of [paying(1, 0, 9n), paying(1, 1, 9n), paying(2, 0, 1n)]) pool.add(one, HEAD)
    const candidates = pool.candidates(HEAD)
    const first = candidates.next() as RecoveredTransaction
    candidates.skip(first.sender)
    expect(names([first, candidates.next() as RecoveredTransaction])).toEqual(['1:0', '2:0'])
    expect(candidates.next()).toBeUndefined()
  })

  test('when transactions of their senders come or go meanwhile, then they are not disturbed', () => {
    const pool = newPool()
    for (const one of [paying(1, 0, 9n), paying(1, 1, 9n)]) pool.add(one, HEAD)
    const candidates = pool.candidates(HEAD)
    const first = candidates.next() as RecoveredTransaction
    pool.remove(first.transaction.hash)
    pool.add(first, HEAD)
    pool.add(paying(1, 2, 99n), HEAD)
    expect(names([candidates.next() as RecoveredTransaction])).toEqual(['1:1'])
    expect(candidates.next()).toBeUndefined()
  })

  test('when known senders arrive meanwhile, then they take their place in the order', () => {
    const pool = newPool()
    for (const one of [paying(1, 0, 9n), paying(1, 1, 9n)]) pool.add(one, HEAD)
    const candidates = pool.candidates(HEAD)
    const first = candidates.next() as RecoveredTransaction
    for (const one of [paying(2, 0, 99n), paying(2, 1, 99n), paying(3, 0, 1n)]) pool.add(one, HEAD)
    const all = [first]
    for (let next = candidates.next(); next !== undefined; next = candidates.next()) all.push(next)
    expect(names(all)).toEqual(['1:0', '2:0', '2:1', '1:1', '3:0'])
  })

  test('when senders without an account arrive meanwhile, then they wait for the next block', () => {
    const pool = newPool()
    pool.add(paying(1, 0, 9n), HEAD)
    const candidates = pool.candidates(HEAD)
    const free = headWith({ baseFee: undefined, balances: new Map([[keyOf(2), 0n]]) })
    pool.add(from(2, { type: 0, maxPriorityFeePerGas: 0n, maxFeePerGas: 0n, value: 0n }), free)
    expect(names([candidates.next() as RecoveredTransaction])).toEqual(['1:0'])
    expect(candidates.next()).toBeUndefined()
  })

  test('when known senders arrive without an end, then a limited number takes part', () => {
    const pool = newPool()
    const candidates = pool.candidates(HEAD)
    let count = 0
    for (let sender = 1; sender <= 2 * LATE_SENDERS_MAX; sender++) {
      pool.add(paying(sender, 0, 9n), HEAD)
      if (candidates.next() !== undefined) count++
    }
    expect(count).toBe(LATE_SENDERS_MAX)
    expect(names(drain(pool))).toHaveLength(2 * LATE_SENDERS_MAX)
  })
})

describe('given a replacement', () => {
  test('when it comes, then both prices must rise by the bump', () => {
    const pool = newPool()
    pool.add(paying(1, 0, 1_000n, 10_000n), HEAD)
    for (const [priority, max] of [
      [1_099n, 11_000n],
      [1_100n, 10_999n],
    ] as const) {
      const rejection = rejectionOf(() => pool.add(paying(1, 0, priority, max), HEAD))
      expect([rejection.rpcCode, rejection.message]).toEqual([-32000, 'Replacement transaction underpriced'])
    }
    pool.add(paying(1, 0, 1_100n, 11_000n), HEAD)
    expect(pool.size).toBe(1)
    expect(drain(pool)[0]?.transaction.maxFeePerGas).toBe(11_000n)
  })

  test('when the bump is zero, then equal prices suffice', () => {
    const pool = newPool({ priceBumpPercent: 0 })
    pool.add(paying(1, 0, 1_000n), HEAD)
    pool.add(from(1, { gasLimit: 30_000n }), HEAD)
    expect(pool.list().map(({ transaction }) => transaction.gasLimit)).toEqual([30_000n])
  })

  test('when it is in the middle, then those behind it stay', () => {
    const pool = newPool()
    for (const nonce of [0, 1, 2]) pool.add(paying(1, nonce, 1_000n), HEAD)
    pool.add(paying(1, 1, 2_000n, 20_000n), HEAD)
    expect(names(drain(pool))).toEqual(['1:0', '1:1', '1:2'])
    expect(pool.nextNonce(senderOf(1))).toBe(3n)
  })
})

describe('given gaps', () => {
  test('when one is explained and the missing nonce comes, then it is closed', () => {
    const pool = newPool()
    const head = headWith({ nonces: new Map([[keyOf(1), 9n]]) })
    const late = paying(1, 12, 1n)
    pool.add(late, head)
    expect(pool.explain(late.transaction.hash, head)?.text).toBe(
      'nonce 12 queued: waiting for nonces 9 to 11',
    )
    expect(pool.nextNonce(senderOf(1))).toBeUndefined()
    expect(pool.counts()).toEqual({ ready: 0, queued: 1 })
    for (const nonce of [9, 11]) pool.add(paying(1, nonce, 1n), head)
    expect(pool.explain(late.transaction.hash, head)?.text).toBe('nonce 12 queued: waiting for nonce 10')
    expect(pool.nextNonce(senderOf(1))).toBe(10n)
    pool.add(paying(1, 10, 1n), head)
    expect(pool.explain(late.transaction.hash, head)?.text).toBe(
      'nonce 12 ready, after nonces 9 to 11 of the same sender',
    )
    expect(pool.nextNonce(senderOf(1))).toBe(13n)
    expect(pool.counts()).toEqual({ ready: 4, queued: 0 })
  })

  test('when there are other reasons to wait, then each is named', () => {
    const pool = newPool()
    const first = paying(1, 0, 1n, 200n)
    const second = paying(1, 1, 1n)
    for (const one of [first, second]) pool.add(one, HEAD)
    expect(pool.explain(first.transaction.hash, HEAD)?.text).toBe('nonce 0 ready for the next block')
    expect(pool.explain(first.transaction.hash, headWith({ baseFee: 201n }))?.text).toBe(
      "nonce 0 waiting: its max fee per gas 200 wei is below the next block's base fee 201 wei",
    )
    expect(pool.explain(second.transaction.hash, headWith({ baseFee: 201n }))?.text).toBe(
      "nonce 1 waiting for nonce 0: its max fee per gas 200 wei is below the next block's base fee 201 wei",
    )
    expect(
      pool.explain(second.transaction.hash, headWith({ balances: new Map([[keyOf(1), 5n]]) }))?.text,
    ).toBe('nonce 1 waiting for nonce 0: it can cost 4200001 wei and its sender has 5 wei')
    expect(pool.explain(first.transaction.hash, headWith({ blockGasLimit: 20_000n }))?.text).toBe(
      'nonce 0 waiting: its gas limit 21000 is above the block gas limit 20000',
    )
    expect(pool.explain(new Uint8Array(32), HEAD)).toBeUndefined()
  })
})

describe('given a new head', () => {
  test('when it comes, then mined and stale ones go, and the rest stays', () => {
    const pool = newPool()
    const gone: PooledTransaction[] = []
    pool.onDropped(one => gone.push(one))
    const mined = paying(1, 0, 1n)
    for (const one of [mined, paying(1, 1, 1n), paying(1, 2, 1n), paying(2, 0, 1n)]) pool.add(one, HEAD)
    // Nonce 1 was used by another transaction of the same sender, which the pool did not have.
    pool.removeMined([mined, paying(1, 1, 5n)], headWith({ nonces: new Map([[keyOf(1), 2n]]) }))
    expect(names(pool.list())).toEqual(['1:2', '2:0'])
    expect(names(gone)).toEqual(['1:1'])
    expect(pool.nextNonce(senderOf(1))).toBe(3n)
  })

  test('when a set-code transaction may have raised any nonce, then all senders are checked in turn', () => {
    const pool = newPool()
    for (const sender of [1, 2, 3]) for (const nonce of [0, 1]) pool.add(paying(sender, nonce, 1n), HEAD)
    const head = headWith({ nonces: new Map([1, 2, 3].map(sender => [keyOf(sender), 1n])) })
    pool.updateSenders(pool.nextSenders(2), head)
    expect(pool.size).toBe(4)
    pool.updateSenders(pool.nextSenders(2), head)
    expect(names(pool.list())).toEqual(['1:1', '2:1', '3:1'])
  })

  test('when the pool was not told of it, then no used nonce is a candidate', () => {
    const pool = newPool()
    pool.add(paying(1, 0, 1n), HEAD)
    expect(drain(pool, headWith({ nonces: new Map([[keyOf(1), 1n]]) }))).toEqual([])
  })
})

describe('given a full pool', () => {
  const limits = { transactionsMax: 3, bytesMax: 1_000_000, futureBySenderMax: 200 }

  test('when room is needed, then those behind a gap go before executable ones', () => {
    const pool = newPool({ limits })
    for (const one of [paying(1, 7, 1n, 99_000n), paying(2, 0, 1n), paying(3, 0, 1n)]) pool.add(one, HEAD)
    pool.add(paying(4, 0, 1n), HEAD)
    expect(names(pool.list())).toEqual(['2:0', '3:0', '4:0'])
  })

  test('when room is needed, then the lowest price goes, from the end of its sender', () => {
    const pool = newPool({ limits })
    for (const one of [paying(1, 0, 1n, 500n), paying(1, 1, 1n, 90_000n), paying(2, 0, 1n, 600n)])
      pool.add(one, HEAD)
    pool.add(paying(3, 0, 1n, 700n), HEAD)
    expect(names(pool.list())).toEqual(['1:0', '2:0', '3:0'])
    pool.add(paying(4, 0, 1n, 700n), HEAD)
    expect(names(pool.list())).toEqual(['2:0', '3:0', '4:0'])
  })

  test('when prices are equal, then the farthest goes', () => {
    const pool = newPool({ limits })
    for (const one of [paying(1, 0, 1n), paying(1, 1, 1n), paying(2, 0, 1n)]) pool.add(one, HEAD)
    pool.add(paying(3, 0, 1n), HEAD)
    expect(names(pool.list())).toEqual(['1:0', '2:0', '3:0'])
  })

  test('when one is worse than all, then it is refused with the reason', () => {
    const pool = newPool({ limits })
    for (const sender of [1, 2, 3]) pool.add(paying(sender, 0, 1n, 500n), HEAD)
    const rejection = rejectionOf(() => pool.add(paying(4, 0, 1n, 499n), HEAD))
    expect([rejection.rpcCode, rejection.message]).toEqual([-32000, 'Transaction pool is full'])
    expect(names(pool.list())).toEqual(['1:0', '2:0', '3:0'])
  })

  test('when bytes exceed the limit, then it is full, too', () => {
    const one = paying(1, 0, 1n)
    const bytesMax = 2 * one.transaction.encoded.length
    const pool = newPool({ limits: { ...limits, bytesMax } })
    pool.add(one, HEAD)
    pool.add(paying(2, 0, 2n, 20_000n), HEAD)
    expect(pool.bytes).toBeLessThanOrEqual(bytesMax + 2)
    pool.add(paying(3, 0, 2n, 20_000n), HEAD)
    expect(pool.bytes).toBeLessThanOrEqual(bytesMax)
  })
})

describe('given listeners', () => {
  test('when transactions are added, or dropped without being mined, then the listeners are called', () => {
    const pool = newPool()
    const heard: string[] = []
    const stop = pool.onAdded(one => heard.push(`+${names([one])[0]}`))
    pool.onDropped(one => heard.push(`-${names([one])[0]}`))
    pool.add(paying(1, 0, 1_000n), HEAD, { local: true, addedAtMs: 5 })
    pool.add(paying(1, 0, 2_000n, 20_000n), HEAD)
    pool.remove(paying(1, 0, 2_000n, 20_000n).transaction.hash)
    stop()
    pool.add(paying(2, 0, 1n), HEAD)
    expect(heard).toEqual(['+1:0', '-1:0', '+1:0', '-1:0'])
  })

  test('when `get` is called, then it gives the origin', () => {
    const pool = newPool()
    const one = paying(1, 0, 1n)
    pool.add(one, HEAD, { local: false, addedAtMs: 1234 })
    expect(pool.get(one.transaction.hash)).toMatchObject({ local: false, addedAtMs: 1234 })
    expect(pool.ofSender(senderOf(1))).toMatchObject({ ready: 1 })
    expect(pool.ofSender(senderOf(2))).toEqual({ transactions: [], ready: 0 })
  })
})
