import { afterAll, expect, test } from 'bun:test'
import { equalBytes } from '../../../../core/bytes/bytes.ts'
import { signTransaction } from '../../../../core/block/codec/signature.ts'
import type { Transaction } from '../../../../core/block/transaction.ts'
import { addressOfPrivateKey } from '../../../../core/crypto/crypto.ts'
import { createRecoverSenders } from '../../../../runtime/threads/recovery/recoverSenders.ts'
import {
  createRecoveryPool,
  RECOVERIES_PENDING_MAX,
  type RecoveryPool,
  RecoveryPoolFullError,
} from '../../../../runtime/threads/recovery/recoveryPool.ts'
import { BARE_FIELDS } from '../../../support/chains/bareFields.ts'

const keys = [1, 2, 3].map(last => new Uint8Array(32).fill(last))

const transactions = keys.map(
  (privateKey, nonce): Transaction =>
    signTransaction(
      {
        type: 2,
        chainId: 1337n,
        nonce: BigInt(nonce),
        maxPriorityFeePerGas: 0n,
        maxFeePerGas: 0n,
        gasLimit: 21_000n,
        to: new Uint8Array(20),
        value: 1n,
        data: new Uint8Array(0),
        ...BARE_FIELDS,
      },
      privateKey,
    ),
)

const pool = createRecoveryPool({ workers: 0 })
afterAll(() => pool.close())

const counting = (): RecoveryPool & { readonly asked: number[] } => {
  const asked: number[] = []
  return {
    ...pool,
    asked,
    recover: batch => {
      asked.push(batch.length)
      return pool.recover(batch)
    },
  }
}

test('given a sender that is known, when a list with its transaction is recovered, then only the others cost anything and the order stands', async () => {
  const counted = counting()
  const [, second] = transactions as [Transaction, Transaction]
  const known = addressOfPrivateKey(keys[1] as Uint8Array)
  const recover = createRecoverSenders(counted, hash => (equalBytes(hash, second.hash) ? known : undefined))
  expect(await recover(transactions)).toEqual(keys.map(addressOfPrivateKey))
  expect(counted.asked).toEqual([2])
})

test('given that all are known, then nothing is recovered; given the same list again, then the same answer', async () => {
  const counted = counting()
  const known = addressOfPrivateKey(keys[0] as Uint8Array)
  const recover = createRecoverSenders(counted, () => known)
  const answer = recover(transactions)
  expect(recover(transactions)).toBe(answer)
  expect(await answer).toEqual([known, known, known])
  expect(counted.asked).toEqual([])
})

test('given a block of more transactions than the pool lets wait, then their senders are found all the same', async () => {
  const known = addressOfPrivateKey(keys[0] as Uint8Array)
  const bounded: RecoveryPool = {
    ...pool,
    recover: batch =>
      batch.length > RECOVERIES_PENDING_MAX
        ? Promise.reject(new RecoveryPoolFullError())
        : Promise.resolve(batch.map(() => known)),
  }
  const [first] = transactions as [Transaction]
  const block = Array.from({ length: RECOVERIES_PENDING_MAX + 1 }, () => first)
  const senders = await createRecoverSenders(bounded, () => undefined)(block)
  expect(senders.length).toBe(block.length)
  expect(senders.every(sender => sender === known)).toBe(true)
})

test('given a long list of which all are known, when looking them up takes long, then other work has its turns meanwhile', async () => {
  const known = addressOfPrivateKey(keys[0] as Uint8Array)
  const list = Array.from({ length: 2_000 }, () => transactions[0] as Transaction)
  const recover = createRecoverSenders(counting(), () => {
    const untilMs = performance.now() + 0.02
    while (performance.now() < untilMs);
    return known
  })
  let isDone = false
  let turns = 0
  const count = (): void => {
    turns++
    if (!isDone) setImmediate(count)
  }
  setImmediate(count)
  expect(await recover(list)).toHaveLength(list.length)
  isDone = true
  expect(turns).toBeGreaterThanOrEqual(4)
})
