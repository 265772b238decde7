import { toBareHex } from '../../../core/bytes/hex.ts'
import type { Chain } from '../../../core/chain/chain.ts'
import type { RecoveredTransaction } from '../../../core/block/transaction.ts'
import { type Steps, runStepsYielding } from '../../../core/steps.ts'
import type { ChainHead } from '../../../core/store/store.ts'
import type { PoolHead, TransactionPool } from '../../../core/txpool/pool.ts'
import type { Log } from '../../logging/log.ts'
import { exclusiveTurn } from '../../scheduler.ts'

export type PoolFollower = {
  /** Resolves when the pool has removed the transactions of all committed blocks. */
  readonly settled: () => Promise<void>
  /** Resolves when no block is being processed. */
  readonly stop: () => Promise<void>
}

/** Transactions removed in one step: some milliseconds if each sender has many more. */
const SLICE_TRANSACTIONS = 50

/** Transactions grouped by sender in one step. */
const SORTED_TRANSACTIONS = 1_000

/** Slices of the mined transactions; those of one sender stay together, because the pool removes them together. */
function* slicesOf(
  mined: readonly RecoveredTransaction[],
): Steps<readonly (readonly RecoveredTransaction[])[]> {
  if (mined.length <= SLICE_TRANSACTIONS) return [mined]
  const bySender = new Map<string, RecoveredTransaction[]>()
  for (const [index, one] of mined.entries()) {
    const key = toBareHex(one.sender)
    const others = bySender.get(key)
    if (others === undefined) bySender.set(key, [one])
    else others.push(one)
    if (index % SORTED_TRANSACTIONS === SORTED_TRANSACTIONS - 1) yield
  }
  const slices: RecoveredTransaction[][] = []
  for (const ofSender of bySender.values()) {
    const last = slices.at(-1)
    if (last === undefined || last.length >= SLICE_TRANSACTIONS) slices.push(ofSender)
    else for (const one of ofSender) last.push(one)
  }
  return slices
}

/**
 * Senders whose accounts are read again after each block, because contracts may have changed their balances. A full pool is
 * covered within some hundred blocks.
 */
const SENDERS_PER_BLOCK = 256
/** Senders updated in one step. */
const SENDERS_AT_ONCE = 32

/** Removes from the pool the transactions that each new block made stale. */
export const startPoolFollower = (options: {
  readonly chain: Chain
  readonly pool: TransactionPool
  /** The pool's rules for the block after the current head. */
  readonly poolHead: () => PoolHead
  readonly log: Log
}): PoolFollower => {
  const { chain, pool, poolHead, log } = options
  let last: Promise<void> = Promise.resolve()

  const updateSenders = async (count: number): Promise<void> => {
    for (let left = Math.min(count, pool.senderCount); left > 0; left -= SENDERS_AT_ONCE) {
      const senders = pool.nextSenders(Math.min(left, SENDERS_AT_ONCE))
      await chain.store.run(() => pool.updateSenders(senders, poolHead()))
      await exclusiveTurn()
    }
  }

  const remove = async ({ header }: ChainHead): Promise<void> => {
    if (pool.size === 0) return
    const record = await chain.store.record(header.number)
    if (record === undefined) return
    const isLarge = record.block.transactions.length > SLICE_TRANSACTIONS
    // The commit has used this tick.
    if (isLarge) await exclusiveTurn()
    const mined = record.block.transactions.map(
      (transaction, index): RecoveredTransaction => ({
        transaction,
        sender: record.senders[index] as Uint8Array,
      }),
    )
    for (const slice of await runStepsYielding(slicesOf(mined), exclusiveTurn)) {
      if (isLarge) await exclusiveTurn()
      await chain.store.run(() => pool.removeMined(slice, poolHead()))
    }
    // An authorization (EIP-7702) raises the nonces of accounts that sent nothing.
    const anySender = record.block.transactions.some(({ type }) => type === 4)
    await updateSenders(anySender ? pool.senderCount : SENDERS_PER_BLOCK)
  }

  const unsubscribe = chain.onHead(head => {
    last = last
      .then(() => remove(head))
      .catch((error: unknown) =>
        log.error('The transactions of block {number} could not be removed from the pool: {error}', {
          number: head.header.number,
          error,
        }),
      )
  })
  return {
    settled: () => last,
    stop: async () => {
      unsubscribe()
      await last
    },
  }
}
