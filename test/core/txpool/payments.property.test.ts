import { describe, expect, test } from 'bun:test'
import { toBareHex } from '../../../core/bytes/hex.ts'
import { expectedCost, upfrontCost } from '../../../core/txpool/cost.ts'
import type { PoolHead, TransactionPool } from '../../../core/txpool/pool.ts'
import { TransactionRejected } from '../../../core/txpool/rejection.ts'
import { createTransactionPool } from '../../../core/txpool/transactionPool.ts'
import { from, headWith, optionsWith, seededRandom, senderOf } from './fixtures.ts'

const SENDERS = 12
const STEPS = 3_000
const LIMITS = { transactionsMax: 60, bytesMax: 1_000_000, futureBySenderMax: 12 }
const BASE_FEE = 0n
const senders = Array.from({ length: SENDERS }, (_, index) => senderOf(index))

/** The number of the sender's ready transactions that this much wei pays for. */
const paidFor = (pool: TransactionPool, sender: Uint8Array, wei: bigint): number => {
  const { transactions, ready } = pool.ofSender(sender)
  let left = wei
  for (const [index, { transaction }] of transactions.slice(0, ready).entries()) {
    if (upfrontCost(transaction) > left) return index
    left -= expectedCost(transaction, BASE_FEE)
  }
  return ready
}

/** The wei that executable transactions of others pay each account, computed from the whole pool. */
const incomingOf = (pool: TransactionPool, head: PoolHead): Map<string, bigint> => {
  const incoming = new Map<string, bigint>()
  for (const sender of senders)
    for (const { transaction } of pool
      .ofSender(sender)
      .transactions.slice(0, paidFor(pool, sender, head.account(sender).balance))) {
      const key = toBareHex(transaction.to as Uint8Array)
      if (key !== toBareHex(sender)) incoming.set(key, (incoming.get(key) ?? 0n) + transaction.value)
    }
  return incoming
}

const check = (pool: TransactionPool, head: PoolHead): void => {
  const incoming = incomingOf(pool, head)
  const expected = new Map(
    senders.map(sender => {
      const key = toBareHex(sender)
      return [key, paidFor(pool, sender, head.account(sender).balance + (incoming.get(key) ?? 0n))] as const
    }),
  )
  for (const sender of senders)
    expect(pool.isRunnable(sender)).toBe((expected.get(toBareHex(sender)) as number) > 0)
  expect(pool.hasRunnable).toBe([...expected.values()].some(count => count > 0))
}

describe('given any sequence of payments between pooled senders', () => {
  test.each([1, 2, 3])(
    'when seed %d runs, then exactly those are executable that balances and payments pay for',
    seed => {
      const random = seededRandom(seed)
      const below = (limit: number): number => Math.floor(random() * limit)
      const pool = createTransactionPool(
        optionsWith({ limits: LIMITS, balanceCheck: seed !== 3, priceBumpPercent: 0 }),
      )
      const nonces = new Map<string, bigint>()
      const balances = new Map(senders.map(sender => [toBareHex(sender), BigInt(below(500))]))
      const head = headWith({ nonces, balances, baseFee: BASE_FEE })
      let accepted = 0
      for (let step = 0; step < STEPS; step++) {
        const dice = random()
        const index = below(SENDERS)
        const sender = senders[index] as Uint8Array
        const key = toBareHex(sender)
        if (dice < 0.8) {
          const one = from(index, {
            nonce: (nonces.get(key) ?? 0n) + BigInt(below(4)),
            maxFeePerGas: 0n,
            maxPriorityFeePerGas: 0n,
            to: senders[below(SENDERS)] as Uint8Array,
            value: BigInt(below(300)),
            gasLimit: 21_000n + BigInt(step),
          })
          try {
            pool.add(one, head)
            accepted++
          } catch (error) {
            if (!(error instanceof TransactionRejected)) throw error
          }
        } else if (dice < 0.9) {
          const list = pool.list()
          const one = list[below(list.length)]
          if (one !== undefined) pool.remove(one.transaction.hash)
        } else {
          if (random() < 0.5) balances.set(key, BigInt(below(500)))
          else nonces.set(key, (nonces.get(key) ?? 0n) + 1n)
          pool.updateSenders([sender], head)
        }
        if (step % 10 === 0) check(pool, head)
      }
      check(pool, head)
      expect(accepted).toBeGreaterThan(STEPS / 10)
    },
  )
})
