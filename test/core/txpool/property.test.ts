import { describe, expect, test } from 'bun:test'
import { toBareHex } from '../../../core/bytes/hex.ts'
import type { RecoveredTransaction } from '../../../core/block/transaction.ts'
import { effectiveTip } from '../../../core/block/transactionPrice.ts'
import type { PoolLimits } from '../../../core/txpool/limits.ts'
import type { PoolHead, TransactionPool } from '../../../core/txpool/pool.ts'
import { TransactionRejected } from '../../../core/txpool/rejection.ts'
import { createTransactionPool } from '../../../core/txpool/transactionPool.ts'
import { from, headWith, optionsWith, seededRandom, senderOf } from './fixtures.ts'

const LIMITS: PoolLimits = { transactionsMax: 120, bytesMax: 16_000, futureBySenderMax: 12 }
const SENDERS = 40
const STEPS = 6_000

const bySender = (pool: TransactionPool): Map<string, RecoveredTransaction[]> => {
  const groups = new Map<string, RecoveredTransaction[]>()
  for (const one of pool.list()) {
    const key = toBareHex(one.sender)
    groups.set(key, [...(groups.get(key) ?? []), one])
  }
  return groups
}

/** The invariants of a pool. */
const checkInvariants = (pool: TransactionPool, head: PoolHead): void => {
  const list = pool.list()
  expect(pool.size).toBe(list.length)
  expect(new Set(list.map(({ transaction }) => toBareHex(transaction.hash))).size).toBe(list.length)
  expect(pool.bytes).toBe(list.reduce((sum, { transaction }) => sum + transaction.encoded.length, 0))
  expect(pool.size).toBeLessThanOrEqual(LIMITS.transactionsMax)
  expect(pool.bytes).toBeLessThanOrEqual(LIMITS.bytesMax)
  let ready = 0
  for (const [, transactions] of bySender(pool)) {
    const { sender } = transactions[0] as RecoveredTransaction
    const nonces = transactions.map(({ transaction }) => transaction.nonce)
    expect(nonces).toEqual([...new Set(nonces)].sort((a, b) => (a < b ? -1 : 1)))
    const accountNonce = head.account(sender).nonce
    expect(nonces[0]).toBeGreaterThanOrEqual(accountNonce)
    expect(nonces.at(-1)).toBeLessThan(accountNonce + BigInt(LIMITS.futureBySenderMax))
    let run = 0
    while (nonces[run] === accountNonce + BigInt(run)) run++
    ready += run
    expect(pool.nextNonce(sender)).toBe(run === 0 ? undefined : accountNonce + BigInt(run))
    expect(pool.ofSender(sender).ready).toBe(run)
  }
  expect(pool.counts()).toEqual({ ready, queued: pool.size - ready })
}

/** Candidates must be executable in order on the head's nonces, and no better one may have been ready earlier. */
const takeBlock = (pool: TransactionPool, head: PoolHead, blockSize: number): RecoveredTransaction[] => {
  const candidates = pool.candidates(head)
  const next = new Map<string, bigint>()
  const block: RecoveredTransaction[] = []
  const ready = bySender(pool)
  while (block.length < blockSize) {
    const one = candidates.next()
    if (one === undefined) break
    const key = toBareHex(one.sender)
    const expected = next.get(key) ?? head.account(one.sender).nonce
    expect(one.transaction.nonce).toBe(expected)
    const tip = effectiveTip(one.transaction, head.nextBaseFeePerGas)
    expect(tip).toBeGreaterThanOrEqual(0n)
    for (const [other, transactions] of ready) {
      const { sender } = transactions[0] as RecoveredTransaction
      const otherNext = next.get(other) ?? head.account(sender).nonce
      const waiting = transactions.find(({ transaction }) => transaction.nonce === otherNext)
      if (waiting !== undefined)
        expect(tip).toBeGreaterThanOrEqual(effectiveTip(waiting.transaction, head.nextBaseFeePerGas))
    }
    next.set(key, expected + 1n)
    block.push(one)
  }
  return block
}

const run = (seed: number): { readonly accepted: number; readonly refused: Map<string, number> } => {
  const random = seededRandom(seed)
  const below = (limit: number): number => Math.floor(random() * limit)
  const pool = createTransactionPool(optionsWith({ limits: LIMITS }))
  const nonces = new Map<string, bigint>()
  let baseFee = 100n
  let accepted = 0
  const refused = new Map<string, number>()
  const head = (): PoolHead => headWith({ nonces, baseFee })
  for (let step = 0; step < STEPS; step++) {
    const dice = random()
    if (dice < 0.9) {
      const sender = below(SENDERS)
      const accountNonce = nonces.get(toBareHex(senderOf(sender))) ?? 0n
      const max = BigInt(50 + below(2_000))
      const one = from(sender, {
        nonce: accountNonce + BigInt(below(15)) - (random() < 0.1 && accountNonce > 0n ? 1n : 0n),
        maxFeePerGas: max,
        maxPriorityFeePerGas: BigInt(below(Number(max))),
        gasLimit: 60_000n,
        data: new Uint8Array(below(80)),
      })
      try {
        pool.add(one, head())
        accepted++
      } catch (error) {
        if (!(error instanceof TransactionRejected)) throw error
        refused.set(error.code, (refused.get(error.code) ?? 0) + 1)
      }
    } else if (dice < 0.95) {
      const list = pool.list()
      const one = list[below(list.length)]
      if (one !== undefined) pool.remove(one.transaction.hash)
    } else {
      const block = takeBlock(pool, head(), below(12))
      for (const { sender, transaction } of block) nonces.set(toBareHex(sender), transaction.nonce + 1n)
      baseFee = BigInt(50 + below(600))
      pool.removeMined(block, head())
    }
    if (step % 20 === 0) checkInvariants(pool, head())
  }
  checkInvariants(pool, head())
  return { accepted, refused }
}

describe('given any sequence of arrivals, removals and blocks', () => {
  test.each([1, 2, 3, 4])(
    'when seed %d runs, then order, limits and uniqueness hold, and only executable ones are candidates',
    seed => {
      const { accepted, refused } = run(seed)
      expect(accepted).toBeGreaterThan(STEPS / 10)
      expect([...refused.keys()].sort()).toEqual(
        [
          'ALREADY_KNOWN',
          'NONCE_TOO_DISTANT',
          'NONCE_TOO_LOW',
          'POOL_FULL',
          'REPLACEMENT_UNDERPRICED',
        ].filter(code => refused.has(code)),
      )
      expect(refused.get('POOL_FULL') ?? 0).toBeGreaterThan(0)
    },
  )
})
