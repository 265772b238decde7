import type { Address } from '../../core/bytes/bytes.ts'
import { signingHash } from '../../core/chain/codec/signature.ts'
import type { Transaction } from '../../core/chain/transaction.ts'
import type { RecoveryPool } from '../recovery/pool.ts'

/** The sender of each transaction, undefined where the signature has none; the work is shared out to the pool's threads. */
export type RecoverSenders = (
  transactions: readonly Transaction[],
) => Promise<readonly (Address | undefined)[]>

/** Whoever asks for the same list again, as the import of a block that was looked at ahead does, gets the same answer. */
export const createRecoverSenders = (pool: RecoveryPool): RecoverSenders => {
  const known = new WeakMap<readonly Transaction[], ReturnType<RecoverSenders>>()
  return transactions => {
    const before = known.get(transactions)
    if (before !== undefined) return before
    const recovered = pool.recover(
      transactions.map(transaction => ({
        hash: signingHash(transaction),
        yParity: transaction.yParity,
        r: transaction.r,
        s: transaction.s,
      })),
    )
    known.set(transactions, recovered)
    // The next one tries again.
    recovered.catch(() => known.delete(transactions))
    return recovered
  }
}
