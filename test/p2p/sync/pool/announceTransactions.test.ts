import { expect, test } from 'bun:test'
import type { RecoveredTransaction } from '../../../../core/block/transaction.ts'
import { createTransactionPool } from '../../../../core/txpool/transactionPool.ts'
import { startAnnouncingTransactions } from '../../../../p2p/sync/pool/announceTransactions.ts'
import { from, headWith, keyOf, optionsWith, senderOf } from '../../../core/txpool/fixtures.ts'
import { until } from '../../../support/until.ts'

const FREE = { maxFeePerGas: 0n, maxPriorityFeePerGas: 0n, value: 0n }
/** The only sender with a balance. */
const KNOWN = 1
/** The room for unknown senders of the pool under test: a tenth. */
const ROOM = 60

/** Each sender has another gas limit, because transactions with equal fields and signatures have one hash. */
const free = (sender: number): RecoveredTransaction =>
  from(sender, { ...FREE, gasLimit: 21_000n + BigInt(sender) })

const start = () => {
  const announced: bigint[][] = []
  const gasOf = new Map<Uint8Array, bigint>()
  const pool = createTransactionPool(
    optionsWith({ limits: { transactionsMax: 10 * ROOM, bytesMax: 1_000_000, futureBySenderMax: 200 } }),
  )
  const balances = new Map(
    Array.from({ length: 200 }, (_, index) => [keyOf(index), index === KNOWN ? 1n : 0n]),
  )
  const head = headWith({ baseFee: 0n, balances })
  const stop = startAnnouncingTransactions({
    pool,
    network: () => ({
      announceTransactions: list => void announced.push(list.map(encoded => gasOf.get(encoded) ?? 0n)),
    }),
  })
  const add = (sender: number, local = true): void => {
    const sent = free(sender)
    gasOf.set(sent.transaction.encoded, sent.transaction.gasLimit - 21_000n)
    pool.add(sent, head, { local, addedAtMs: 0 })
  }
  return { pool, announced, add, stop }
}

test('given few transactions of unknown senders, when RPC adds them, then each is announced at once, those of peers not', () => {
  const { announced, add, stop } = start()
  for (let sender = 10; sender < 10 + ROOM / 2; sender++) add(sender)
  add(150, false)
  stop()
  expect(announced).toEqual(Array.from({ length: ROOM / 2 }, (_, index) => [BigInt(10 + index)]))
})

test('given a pool with many unknown senders, when RPC adds more and one of a known sender, then the known one is announced at once, the others ten at a time', async () => {
  const { pool, announced, add, stop } = start()
  for (let sender = 10; sender < 10 + ROOM; sender++) add(sender)
  announced.splice(0)
  add(KNOWN)
  expect(announced.splice(0)).toEqual([[BigInt(KNOWN)]])
  // Left out: no longer in the pool when its turn comes.
  const [first] = pool.ofSender(senderOf(10 + ROOM / 2)).transactions
  pool.remove(first?.transaction.hash as Uint8Array)
  await until(() => announced.length >= 3)
  stop()
  expect(announced.map(list => list.length)).toEqual([10, 10, 9])
  expect(announced.flat()).toEqual(
    Array.from({ length: ROOM / 2 - 1 }, (_, index) => BigInt(11 + ROOM / 2 + index)),
  )
})
