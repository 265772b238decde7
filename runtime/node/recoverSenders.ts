import type { Address } from '../../core/bytes/bytes.ts'
import { signingHash } from '../../core/chain/codec/signature.ts'
import type { Transaction } from '../../core/chain/transaction.ts'
import type { RecoveryPool } from '../recovery/pool.ts'

/** The sender of each transaction, undefined where the signature has none; the work is shared out to the pool's threads. */
export type RecoverSenders = (
  transactions: readonly Transaction[],
) => Promise<readonly (Address | undefined)[]>

export const createRecoverSenders =
  (pool: RecoveryPool): RecoverSenders =>
  transactions =>
    pool.recover(
      transactions.map(transaction => ({
        hash: signingHash(transaction),
        yParity: transaction.yParity,
        r: transaction.r,
        s: transaction.s,
      })),
    )
