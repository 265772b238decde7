import { describe, expect, test } from 'bun:test'
import type { RecoveredTransaction } from '../../../../core/block/transaction.ts'
import type { TransactionPool } from '../../../../core/txpool/pool.ts'
import { createUnpaidTransactions } from '../../../../p2p/sync/pool/unpaidTransactions.ts'
import { from, senderOf } from '../../../core/txpool/fixtures.ts'
import { until } from '../../../support/until.ts'

/** As many as are kept, and more. */
const RUBBISH = 3_000

const setUp = () => {
  const retried: RecoveredTransaction[] = []
  let added: Parameters<TransactionPool['onAdded']>[0] = () => undefined
  const pool: Pick<TransactionPool, 'onAdded'> = {
    onAdded: listener => {
      added = listener
      return () => undefined
    },
  }
  const retry = async (sent: RecoveredTransaction): Promise<boolean> => {
    retried.push(sent)
    return false
  }
  const unpaid = createUnpaidTransactions(pool, retry, error => {
    throw error
  })
  return {
    unpaid,
    retried,
    pay: (sender: number) =>
      added({ ...from(1, { to: senderOf(sender), value: 1n }), local: false, addedAtMs: 0 }),
  }
}

/** Of senders that nobody knows, and whose transactions nobody ever pays for. */
const rubbish = (count: number): readonly RecoveredTransaction[] =>
  Array.from({ length: count }, (_, index) => from(10_000 + index))

describe('transactions of peers that are not paid for yet', () => {
  test('given a peer that fills the room with transactions of unknown senders, when the sender of another peer’s transaction is paid, then that transaction is validated again', async () => {
    const { unpaid, retried, pay } = setUp()
    const spend = from(2)
    unpaid.keep(spend, 'honest')
    for (const one of rubbish(RUBBISH)) unpaid.keep(one, 'flooder')
    pay(2)
    await until(() => retried.length > 0)
    expect(retried).toEqual([spend])
  })

  test('given a hundred peers that do so together, when the senders of another peer are paid, then their transactions are validated again', async () => {
    const { unpaid, retried, pay } = setUp()
    const spends = [from(2), from(3, { value: 7n })]
    for (const [index, one] of rubbish(RUBBISH).entries()) {
      if (index === RUBBISH / 2) for (const spend of spends) unpaid.keep(spend, 'honest')
      unpaid.keep(one, `flooder ${index % 100}`)
    }
    pay(2)
    pay(3)
    await until(() => retried.length > 1)
    expect(retried).toEqual(spends)
  })

  test('given one peer that fills the room alone, when its senders are paid, then only its newest transactions are validated again', async () => {
    const { unpaid, retried, pay } = setUp()
    unpaid.keep(from(2), 'flooder')
    for (const one of rubbish(RUBBISH)) unpaid.keep(one, 'flooder')
    unpaid.keep(from(3), 'flooder')
    pay(2)
    pay(3)
    await until(() => retried.length > 0)
    expect(retried).toEqual([from(3)])
  })
})
