import type { Chain } from '../../core/chain/chain.ts'
import type { SenderTransaction } from '../../core/chain/transaction.ts'
import type { ChainHead } from '../../core/store/store.ts'
import type { PoolHead, TransactionPool } from '../../core/txpool/pool.ts'
import type { Log } from '../logging/log.ts'

export type PoolFollower = {
  /** Resolves when the pool is rid of what stands in the blocks committed so far. */
  readonly settled: () => Promise<void>
  readonly stop: () => void
}

/** Rids the pool of what each new block made stale, wherever the block came from. */
export const startPoolFollower = (options: {
  readonly chain: Chain
  readonly pool: TransactionPool
  /** What the pool judges by, for the block after the current head. */
  readonly poolHead: () => PoolHead
  readonly log: Log
}): PoolFollower => {
  const { chain, pool, poolHead, log } = options
  let last: Promise<void> = Promise.resolve()

  const remove = async ({ header }: ChainHead): Promise<void> => {
    if (pool.size === 0) return
    const record = await chain.store.record(header.number)
    if (record === undefined || record.block.transactions.length === 0) return
    const mined = record.block.transactions.map(
      (transaction, index): SenderTransaction => ({
        transaction,
        sender: record.senders[index] as Uint8Array,
      }),
    )
    await chain.store.run(() => pool.removeMined(mined, poolHead()))
  }

  const unsubscribe = chain.onHead(head => {
    last = last
      .then(() => remove(head))
      .catch((error: unknown) =>
        log.error('The pool keeps transactions of block {number}: {error}', {
          number: head.header.number,
          error,
        }),
      )
  })
  return { settled: () => last, stop: unsubscribe }
}
