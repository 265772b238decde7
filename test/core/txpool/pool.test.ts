import { describe, expect, test } from 'bun:test'
import type { SenderTransaction } from '../../../core/block/transaction.ts'
import type { PoolHead, PooledTransaction, TransactionPool } from '../../../core/txpool/pool.ts'
import { createTransactionPool } from '../../../core/txpool/transactionPool.ts'
import { from, headWith, keyOf, optionsWith, rejectionOf, senderOf } from './fixtures.ts'

const HEAD = headWith()

const newPool = (options: Parameters<typeof optionsWith>[0] = {}): TransactionPool =>
  createTransactionPool(optionsWith(options))

const drain = (pool: TransactionPool, head: PoolHead = HEAD): SenderTransaction[] => {
  const candidates = pool.candidates(head)
  const all: SenderTransaction[] = []
  for (let next = candidates.next(); next !== undefined; next = candidates.next()) all.push(next)
  return all
}

/** `sender:nonce` of each. */
const names = (transactions: readonly SenderTransaction[]): string[] =>
  transactions.map(({ sender, transaction }) => `${(sender[19] as number) & 0xff}:${transaction.nonce}`)

const paying = (sender: number, nonce: number, priority: bigint, max = 10_000n) =>
  from(sender, { nonce: BigInt(nonce), maxPriorityFeePerGas: priority, maxFeePerGas: max })

describe('what a block is given', () => {
  test('is the best tip first, each sender in nonce order', () => {
    const pool = newPool()
    for (const one of [paying(1, 0, 10n), paying(1, 1, 90n), paying(2, 0, 50n), paying(3, 0, 70n)])
      pool.add(one, HEAD)
    expect(names(drain(pool))).toEqual(['3:0', '2:0', '1:0', '1:1'])
  })

  test('is first come first served among equal tips', () => {
    const pool = newPool()
    for (const sender of [5, 3, 9]) pool.add(paying(sender, 0, 10n), HEAD)
    expect(names(drain(pool))).toEqual(['5:0', '3:0', '9:0'])
  })

  test('counts what is left of the max fee above the base fee, not what the sender would like to tip', () => {
    const pool = newPool()
    pool.add(paying(1, 0, 5_000n, 5_100n), HEAD)
    pool.add(paying(2, 0, 200n, 9_000n), HEAD)
    expect(names(drain(pool, headWith({ baseFee: 5_000n })))).toEqual(['2:0', '1:0'])
  })

  test('leaves out who does not pay the base fee, and everything behind it', () => {
    const pool = newPool()
    for (const one of [paying(1, 0, 1n, 100n), paying(1, 1, 1n), paying(2, 0, 1n)]) pool.add(one, HEAD)
    expect(names(drain(pool, headWith({ baseFee: 101n })))).toEqual(['2:0'])
  })

  test('leaves out what waits behind a gap', () => {
    const pool = newPool()
    for (const one of [paying(1, 0, 1n), paying(1, 2, 1n), paying(2, 1, 1n)]) pool.add(one, HEAD)
    expect(names(drain(pool))).toEqual(['1:0'])
  })

  test('leaves out a sender that cannot pay for its first one', () => {
    const pool = newPool()
    const cost = 21_000n * 10_000n + 1n
    pool.add(paying(1, 0, 1n), HEAD)
    // The pool has not heard of the new head yet.
    expect(drain(pool, headWith({ balances: new Map([[keyOf(1), cost - 1n]]) }))).toEqual([])
    expect(drain(pool, headWith({ balances: new Map([[keyOf(1), cost]]) }))).toHaveLength(1)
  })

  test('has no more of a sender after it was skipped', () => {
    const pool = newPool()
    for (const one of [paying(1, 0, 9n), paying(1, 1, 9n), paying(2, 0, 1n)]) pool.add(one, HEAD)
    const candidates = pool.candidates(HEAD)
    const first = candidates.next() as SenderTransaction
    candidates.skip(first.sender)
    expect(names([first, candidates.next() as SenderTransaction])).toEqual(['1:0', '2:0'])
    expect(candidates.next()).toBeUndefined()
  })

  test('is not disturbed by what comes and goes meanwhile', () => {
    const pool = newPool()
    for (const one of [paying(1, 0, 9n), paying(1, 1, 9n)]) pool.add(one, HEAD)
    const candidates = pool.candidates(HEAD)
    const first = candidates.next() as SenderTransaction
    pool.remove(first.transaction.hash)
    pool.add(paying(2, 0, 99n), HEAD)
    expect(names([candidates.next() as SenderTransaction])).toEqual(['1:1'])
  })
})

describe('a replacement', () => {
  test('must raise both prices by the bump', () => {
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

  test('may cost the same where the bump is zero', () => {
    const pool = newPool({ priceBumpPercent: 0 })
    pool.add(paying(1, 0, 1_000n), HEAD)
    pool.add(from(1, { gasLimit: 30_000n }), HEAD)
    expect(pool.list().map(({ transaction }) => transaction.gasLimit)).toEqual([30_000n])
  })

  test('in the middle leaves what is behind it where it is', () => {
    const pool = newPool()
    for (const nonce of [0, 1, 2]) pool.add(paying(1, nonce, 1_000n), HEAD)
    pool.add(paying(1, 1, 2_000n, 20_000n), HEAD)
    expect(names(drain(pool))).toEqual(['1:0', '1:1', '1:2'])
    expect(pool.nextNonce(senderOf(1))).toBe(3n)
  })
})

describe('gaps', () => {
  test('are explained, and closed by the one that was missing', () => {
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

  test('are told from other reasons to wait', () => {
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

describe('a new head', () => {
  test('takes the mined and the stale ones out and leaves the rest', () => {
    const pool = newPool()
    const gone: PooledTransaction[] = []
    pool.onDropped(one => gone.push(one))
    const mined = paying(1, 0, 1n)
    for (const one of [mined, paying(1, 1, 1n), paying(1, 2, 1n), paying(2, 0, 1n)]) pool.add(one, HEAD)
    // Nonce 1 was used by another transaction of the same sender, which the pool had not seen.
    pool.removeMined([mined, paying(1, 1, 5n)], headWith({ nonces: new Map([[keyOf(1), 2n]]) }))
    expect(names(pool.list())).toEqual(['1:2', '2:0'])
    expect(names(gone)).toEqual(['1:1'])
    expect(pool.nextNonce(senderOf(1))).toBe(3n)
  })

  test('may have raised the nonce of any sender by a set-code transaction: all are looked at in turn', () => {
    const pool = newPool()
    for (const sender of [1, 2, 3]) for (const nonce of [0, 1]) pool.add(paying(sender, nonce, 1n), HEAD)
    const head = headWith({ nonces: new Map([1, 2, 3].map(sender => [keyOf(sender), 1n])) })
    pool.updateSenders(pool.nextSenders(2), head)
    expect(pool.size).toBe(4)
    pool.updateSenders(pool.nextSenders(2), head)
    expect(names(pool.list())).toEqual(['1:1', '2:1', '3:1'])
  })

  test('of which the pool was not told gives no candidate that is used up', () => {
    const pool = newPool()
    pool.add(paying(1, 0, 1n), HEAD)
    expect(drain(pool, headWith({ nonces: new Map([[keyOf(1), 1n]]) }))).toEqual([])
  })
})

describe('a full pool', () => {
  const limits = { transactionsMax: 3, bytesMax: 1_000_000, futureBySenderMax: 200 }

  test('gives up what waits behind a gap before anything that is ready', () => {
    const pool = newPool({ limits })
    for (const one of [paying(1, 7, 1n, 99_000n), paying(2, 0, 1n), paying(3, 0, 1n)]) pool.add(one, HEAD)
    pool.add(paying(4, 0, 1n), HEAD)
    expect(names(pool.list())).toEqual(['2:0', '3:0', '4:0'])
  })

  test('gives up the worst paying, from its end, and never one that others depend on', () => {
    const pool = newPool({ limits })
    for (const one of [paying(1, 0, 1n, 500n), paying(1, 1, 1n, 90_000n), paying(2, 0, 1n, 600n)])
      pool.add(one, HEAD)
    pool.add(paying(3, 0, 1n, 700n), HEAD)
    expect(names(pool.list())).toEqual(['1:0', '2:0', '3:0'])
    pool.add(paying(4, 0, 1n, 700n), HEAD)
    expect(names(pool.list())).toEqual(['2:0', '3:0', '4:0'])
  })

  test('gives up the farthest where all pay the same', () => {
    const pool = newPool({ limits })
    for (const one of [paying(1, 0, 1n), paying(1, 1, 1n), paying(2, 0, 1n)]) pool.add(one, HEAD)
    pool.add(paying(3, 0, 1n), HEAD)
    expect(names(pool.list())).toEqual(['1:0', '2:0', '3:0'])
  })

  test('refuses what is worse than all it has, and says so', () => {
    const pool = newPool({ limits })
    for (const sender of [1, 2, 3]) pool.add(paying(sender, 0, 1n, 500n), HEAD)
    const rejection = rejectionOf(() => pool.add(paying(4, 0, 1n, 499n), HEAD))
    expect([rejection.rpcCode, rejection.message]).toEqual([-32000, 'Transaction pool is full'])
    expect(names(pool.list())).toEqual(['1:0', '2:0', '3:0'])
  })

  test('is full by bytes too', () => {
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

describe('listeners', () => {
  test('hear what comes and what goes without being mined', () => {
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

  test('and `get` tell where it came from', () => {
    const pool = newPool()
    const one = paying(1, 0, 1n)
    pool.add(one, HEAD, { local: false, addedAtMs: 1234 })
    expect(pool.get(one.transaction.hash)).toMatchObject({ local: false, addedAtMs: 1234 })
    expect(pool.ofSender(senderOf(1))).toMatchObject({ ready: 1 })
    expect(pool.ofSender(senderOf(2))).toEqual({ transactions: [], ready: 0 })
  })
})
