import type { Address } from '../../core/bytes/bytes.ts'
import { maxBigint } from '../../core/bytes/integer.ts'
import type { Chain } from '../../core/chain/chain.ts'
import type { Scheduler } from '../../core/scheduler.ts'
import type { AccountIndex } from '../../handlers/rpc/ots/accountIndex.ts'
import type { Log } from '../logging/log.ts'
import { type IndexTables, openIndexTables, type IndexedTransaction } from './indexTables.ts'

/** Transactions of one database transaction: some milliseconds of writing. */
const BATCH_TRANSACTIONS = 250
/** Blocks of one database transaction; most may be empty. */
const BATCH_BLOCKS = 64

export type AccountIndexOptions = {
  readonly chain: Pick<Chain, 'head' | 'onHead' | 'genesis'> & {
    readonly store: Pick<Chain['store'], 'record' | 'historyStart'>
  }
  /** The first block to index; a chain that forks a network begins after that network's last block. */
  readonly first: () => bigint
  /** File of the index; `:memory:` for none. */
  readonly path: string
  readonly scheduler: Scheduler
  readonly log: Log
}

export type RunningAccountIndex = AccountIndex & {
  /** Forgets the blocks after `number`, to which a development chain went back. */
  readonly rewind: (number: bigint) => void
  /** Resolves when all blocks up to the head at the call are indexed, or the index stops. */
  readonly settled: () => Promise<void>
  readonly stop: () => Promise<void>
}

type State = AccountIndexOptions & {
  readonly tables: IndexTables
  /** The pass that reads blocks; undefined between passes. */
  pass: Promise<void> | undefined
  /** A block came during the pass, which may have ended before it. */
  isBehind: boolean
  isStopped: boolean
}

/** The transactions of the next blocks. */
const readBatch = async (
  { chain, scheduler }: State,
  from: bigint,
): Promise<{ readonly next: bigint; readonly transactions: readonly IndexedTransaction[] }> => {
  const head = chain.head().header.number
  const yieldTurn = scheduler.createYield()
  const transactions: IndexedTransaction[] = []
  let next = from
  while (next <= head && next - from < BigInt(BATCH_BLOCKS) && transactions.length < BATCH_TRANSACTIONS) {
    const record = await chain.store.record(next)
    // A block that is being repaired: the pass goes on with the next head.
    if (record === undefined) break
    for (const [index, { to }] of record.block.transactions.entries())
      transactions.push({
        block: next,
        index,
        from: record.senders[index] as Address,
        to,
        created: record.receipts[index]?.contractAddress,
      })
    next++
    await yieldTurn()
  }
  return { next, transactions }
}

const run = async (state: State): Promise<void> => {
  const { chain, tables } = state
  while (!state.isStopped) {
    const start = maxBigint(chain.store.historyStart?.() ?? 0n, state.first())
    // Earlier blocks were removed, or belong to a forked network.
    if (tables.next() < start) tables.add([], start)
    const from = tables.next()
    if (from > chain.head().header.number) return
    const batch = await readBatch(state, from).catch((error: unknown) => {
      // The blocks were removed meanwhile.
      if (from < (chain.store.historyStart?.() ?? 0n)) return undefined
      throw error
    })
    if (batch === undefined) continue
    const { next, transactions } = batch
    // The chain may have gone back meanwhile.
    if (next === from || tables.next() !== from) return
    tables.add(transactions, next)
    await state.scheduler.nextTurn()
  }
}

/** Starts a pass unless one is under way, which ends only at the head. */
const advance = (state: State): void => {
  if (state.isStopped) return
  if (state.pass !== undefined) {
    state.isBehind = true
    return
  }
  state.pass = run(state)
    .catch((error: unknown) =>
      state.log.error(
        'The index of the explorer could not be extended: {error}. It is tried again with the next block',
        { error },
      ),
    )
    .finally(() => {
      state.pass = undefined
      if (!state.isBehind) return
      state.isBehind = false
      advance(state)
    })
}

/** Opens the index and follows the chain in the background, from the first block that it does not have. */
export const openAccountIndex = async (options: AccountIndexOptions): Promise<RunningAccountIndex> => {
  const { chain } = options
  const tables = await openIndexTables(options.path, chain.genesis.hash)
  const state: State = { ...options, tables, pass: undefined, isBehind: false, isStopped: false }
  // Another node, or a node without the index, may have gone back.
  tables.truncate(chain.head().header.number + 1n)
  const unfollow = chain.onHead(() => advance(state))
  advance(state)
  return {
    before: tables.before,
    after: tables.after,
    inBlock: tables.inBlock,
    creator: tables.creator,
    rewind: number => {
      tables.truncate(number + 1n)
      advance(state)
    },
    settled: async () => {
      while (state.pass !== undefined) await state.pass
    },
    stop: async () => {
      state.isStopped = true
      unfollow()
      await state.pass
      tables.close()
    },
  }
}
