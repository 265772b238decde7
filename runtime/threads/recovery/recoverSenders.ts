import type { Address, Hash } from '../../../core/bytes/bytes.ts'
import { signingHash } from '../../../core/block/codec/signature.ts'
import type { Transaction } from '../../../core/block/transaction.ts'
import type { RecoverSenders } from '../../../core/chain/importing/validation.ts'
import type { Recovery } from './signatureBuffers.ts'
import type { RecoveryPool } from './recoveryPool.ts'
import { createYield } from '../../scheduler.ts'

/** The known sender of a transaction by its hash, which covers the signature; undefined if not recovered before. */
export type KnownSender = (hash: Hash) => Address | undefined

/** Transactions processed between two checks of the time slice: under a millisecond, two on a busy machine. */
const SLICE_TRANSACTIONS = 32

/** Transactions per batch for the pool: a block may hold more than the pool accepts at once. */
const BATCH_TRANSACTIONS = 8_192

export const recoveryOf = (transaction: Transaction): Recovery => ({
  hash: signingHash(transaction),
  yParity: transaction.yParity,
  r: transaction.r,
  s: transaction.s,
})

const recoveriesOf = async (transactions: readonly Transaction[]): Promise<readonly Recovery[]> => {
  const yieldTurn = createYield()
  const recoveries: Recovery[] = []
  for (const transaction of transactions) {
    if (recoveries.length % SLICE_TRANSACTIONS === SLICE_TRANSACTIONS - 1) await yieldTurn()
    recoveries.push(recoveryOf(transaction))
  }
  // The pool starts with work on this thread.
  await yieldTurn()
  return recoveries
}

/** The answers of lists by the list itself: the import of a prefetched block requests the same list again. */
export type SendersOfLists = WeakMap<readonly Transaction[], ReturnType<RecoverSenders>>

/** Recovers senders on the threads of the pool. Caches the answer of each list. */
export const createRecoverSenders = (
  pool: Pick<RecoveryPool, 'recover'>,
  knownSender: KnownSender,
  lists: SendersOfLists = new WeakMap(),
): RecoverSenders => {
  const knownSenders = async (transactions: readonly Transaction[]): Promise<(Address | undefined)[]> => {
    const yieldTurn = createYield()
    const senders: (Address | undefined)[] = []
    for (const { hash } of transactions) {
      if (senders.length % SLICE_TRANSACTIONS === SLICE_TRANSACTIONS - 1) await yieldTurn()
      senders.push(knownSender(hash))
    }
    return senders
  }

  const recover = async (transactions: readonly Transaction[]): Promise<readonly (Address | undefined)[]> => {
    const senders = await knownSenders(transactions)
    const unknown = transactions.filter((_, index) => senders[index] === undefined)
    if (unknown.length === 0) return senders
    const recovered: (Address | undefined)[] = []
    for (let at = 0; at < unknown.length; at += BATCH_TRANSACTIONS)
      recovered.push(...(await pool.recover(await recoveriesOf(unknown.slice(at, at + BATCH_TRANSACTIONS)))))
    let next = 0
    return senders.map(sender => sender ?? recovered[next++])
  }

  return transactions => {
    const before = lists.get(transactions)
    if (before !== undefined) return before
    const recovered = recover(transactions)
    lists.set(transactions, recovered)
    // The next one tries again.
    recovered.catch(() => lists.delete(transactions))
    return recovered
  }
}
