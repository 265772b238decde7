import type { Chain } from '../../../core/chain/chain.ts'
import type { Transaction } from '../../../core/block/transaction.ts'
import { recoverSender } from '../../../core/block/codec/signature.ts'
import { poolHeadOf } from '../../../core/txpool/head.ts'
import type { TransactionPool } from '../../../core/txpool/pool.ts'
import { TransactionRejected } from '../../../core/txpool/rejection.ts'
import type { RpcHost } from '../../../handlers/rpc/context.ts'

export type SubmissionModules = {
  readonly chain: Chain
  readonly pool: TransactionPool
  readonly nowMs: () => number
  /** Wei. */
  readonly minGasPrice: bigint
}

/** A `submit` that puts transactions of this node's RPC into the pool. */
export const createSubmission =
  ({ chain, pool, nowMs, minGasPrice }: SubmissionModules): RpcHost['submit'] =>
  async transactions => {
    const addedAtMs = nowMs()
    const head = poolHeadOf(chain, BigInt(Math.floor(addedAtMs / 1000)), { minGasPrice, minPriorityFee: 0n })
    const outcomes: (TransactionRejected | undefined)[] = []
    for (const transaction of transactions)
      outcomes.push(
        await chain.store.run(() => {
          try {
            pool.add(transaction, head, { local: true, addedAtMs })
            return undefined
          } catch (error) {
            if (error instanceof TransactionRejected) return error
            throw error
          }
        }),
      )
    return outcomes
  }

/** A `recoverSenders` that does the work here and now. */
export const recoverSendersHere: RpcHost['recoverSenders'] = (transactions: readonly Transaction[]) =>
  Promise.resolve(transactions.map(recoverSender))
