import { describe, expect, test } from 'bun:test'
import type { RecoveredTransaction } from '../../../core/block/transaction.ts'
import { SENDER_WAIT_MS } from '../../../core/txpool/overruns.ts'
import type { PoolAccount, TransactionPool } from '../../../core/txpool/pool.ts'
import { createTransactionPool } from '../../../core/txpool/transactionPool.ts'
import { from, headWith, optionsWith, rejectionOf } from './fixtures.ts'

const HEAD = headWith({ fork: 'prague' })
const NOW_MS = 1_700_000_000_000

const poolWith = (...sent: readonly RecoveredTransaction[]): TransactionPool => {
  const pool = createTransactionPool(optionsWith({}))
  for (const one of sent) pool.add(one, HEAD)
  return pool
}

const order = (pool: TransactionPool): readonly RecoveredTransaction['transaction'][] => {
  const candidates = pool.candidates(HEAD)
  const all: RecoveredTransaction['transaction'][] = []
  for (let next = candidates.next(); next !== undefined; next = candidates.next()) all.push(next.transaction)
  return all
}

const slow = from(1, { maxPriorityFeePerGas: 9_000n })
const next = from(1, { nonce: 1n })
const other = from(2)

describe('given a transaction that was stopped while a block was built', () => {
  test('when it is stopped for the first time, then it comes after all others, whatever it pays, and the pool says so', () => {
    const pool = poolWith(slow, other)
    expect(order(pool)).toEqual([slow.transaction, other.transaction])
    expect(pool.noteOverrun(slow, 'it ran for more than 9 ms', NOW_MS).isDropped).toBe(false)
    expect(order(pool)).toEqual([other.transaction, slow.transaction])
    expect(pool.isDeferred(slow.transaction.hash)).toBe(true)
    expect(pool.explain(slow.transaction.hash, HEAD)?.text).toContain('it ran for more than 9 ms')
    expect(pool.explain(slow.transaction.hash, HEAD)?.text).toContain('tried once more')
  })

  test('when it is stopped for the second time, then all of its sender’s transactions are dropped, and the pool still says why', () => {
    const pool = poolWith(slow, next, other)
    const dropped: unknown[] = []
    pool.onDropped(({ transaction }) => dropped.push(transaction))
    pool.noteOverrun(slow, 'it ran for more than 9 ms', NOW_MS)
    expect(pool.noteOverrun(slow, 'it ran for more than 99 ms', NOW_MS).isDropped).toBe(true)
    expect(dropped).toHaveLength(2)
    expect(order(pool)).toEqual([other.transaction])
    expect(pool.size).toBe(1)
    expect(pool.explain(slow.transaction.hash, HEAD)?.text).toContain('dropped')
  })

  test('when it is stopped for the second time, then its sender has to wait, whether a user or a peer sends its transactions', () => {
    const pool = poolWith(slow)
    pool.noteOverrun(slow, 'it is slow', NOW_MS)
    pool.noteOverrun(slow, 'it is slow', NOW_MS)
    const add = (sent: RecoveredTransaction, local: boolean, addedAtMs: number): PoolAccount =>
      pool.add(sent, HEAD, { local, addedAtMs })
    for (const local of [true, false]) {
      const rejection = rejectionOf(() => add(from(1, { value: 5n }), local, NOW_MS + SENDER_WAIT_MS - 1))
      expect(rejection.code).toBe('SENDER_WAITS')
      expect(rejection.details).toContain('seconds')
    }
    add(other, false, NOW_MS)
    add(from(1, { value: 5n }), false, NOW_MS + SENDER_WAIT_MS)
    expect(pool.size).toBe(2)
  })

  test('when it is stopped for the second time, then the same transaction is not accepted even after the wait', () => {
    const pool = poolWith(slow)
    pool.noteOverrun(slow, 'it is slow', NOW_MS)
    pool.noteOverrun(slow, 'it is slow', NOW_MS)
    const again = rejectionOf(() => pool.add(slow, HEAD, { local: true, addedAtMs: NOW_MS + SENDER_WAIT_MS }))
    expect(again.code).toBe('SENDER_WAITS')
  })
})

test('given transactions that pay the same, when one may use more gas than EIP-7825 allows, then it comes last', () => {
  const long = from(3, { gasLimit: 2n ** 24n + 1n })
  const pool = poolWith(long, from(4, { gasLimit: 2n ** 24n }), other)
  expect(order(pool)).toEqual([
    from(4, { gasLimit: 2n ** 24n }).transaction,
    other.transaction,
    long.transaction,
  ])
})
