import type { Address, Hash } from '../../../core/bytes/bytes.ts'
import { signingHash } from '../../../core/chain/codec/signature.ts'
import type { Transaction } from '../../../core/chain/transaction.ts'
import type { Recovery } from './packed.ts'
import type { RecoveryPool } from './pool.ts'
import { createSlice } from '../../schedule.ts'

/** The sender of each transaction, undefined where the signature has none; the work is shared out to the pool's threads. */
export type RecoverSenders = (
  transactions: readonly Transaction[],
) => Promise<readonly (Address | undefined)[]>

/** The sender of the transaction of that hash, which covers its signature; undefined where it was not recovered before. */
export type KnownSender = (hash: Hash) => Address | undefined

/** Hashed or looked up between two looks at how long it has taken: less than a millisecond, two on a busy machine. */
const SLICE_TRANSACTIONS = 32

/** Given to the pool together: a block, which must not be refused for it, may hold more than the pool lets wait. */
const PORTION_TRANSACTIONS = 8_192

const recoveryOf = (transaction: Transaction): Recovery => ({
  hash: signingHash(transaction),
  yParity: transaction.yParity,
  r: transaction.r,
  s: transaction.s,
})

const recoveriesOf = async (transactions: readonly Transaction[]): Promise<readonly Recovery[]> => {
  const pause = createSlice()
  const recoveries: Recovery[] = []
  for (const transaction of transactions) {
    if (recoveries.length % SLICE_TRANSACTIONS === SLICE_TRANSACTIONS - 1) await pause()
    recoveries.push(recoveryOf(transaction))
  }
  // The pool begins with a part of its own.
  await pause()
  return recoveries
}

/** Whoever asks for the same list again, as the import of a block that was looked at ahead does, gets the same answer. */
export const createRecoverSenders = (pool: RecoveryPool, knownSender: KnownSender): RecoverSenders => {
  const knownSenders = async (transactions: readonly Transaction[]): Promise<(Address | undefined)[]> => {
    const pause = createSlice()
    const senders: (Address | undefined)[] = []
    for (const { hash } of transactions) {
      if (senders.length % SLICE_TRANSACTIONS === SLICE_TRANSACTIONS - 1) await pause()
      senders.push(knownSender(hash))
    }
    return senders
  }

  const recover = async (transactions: readonly Transaction[]): Promise<readonly (Address | undefined)[]> => {
    const senders = await knownSenders(transactions)
    const unknown = transactions.filter((_, index) => senders[index] === undefined)
    if (unknown.length === 0) return senders
    const recovered: (Address | undefined)[] = []
    for (let at = 0; at < unknown.length; at += PORTION_TRANSACTIONS)
      recovered.push(
        ...(await pool.recover(await recoveriesOf(unknown.slice(at, at + PORTION_TRANSACTIONS)))),
      )
    let next = 0
    return senders.map(sender => sender ?? recovered[next++])
  }

  const asked = new WeakMap<readonly Transaction[], ReturnType<RecoverSenders>>()
  return transactions => {
    const before = asked.get(transactions)
    if (before !== undefined) return before
    const recovered = recover(transactions)
    asked.set(transactions, recovered)
    // The next one tries again.
    recovered.catch(() => asked.delete(transactions))
    return recovered
  }
}
