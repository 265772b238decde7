import type { Block } from '../../../core/block/block.ts'

/** Blocks per batch: a few milliseconds of work for the threads. */
const BATCH_BLOCKS = 32

/** Blocks prefetched ahead of the import: several batches, so that a late thread does not delay it. */
const AHEAD_BLOCKS = 5 * BATCH_BLOCKS

/** Imported blocks between two searches of the queue for blocks to recover. */
const LOOK_BLOCKS = BATCH_BLOCKS / 2

/** Maximum transactions of the batches in progress, except for a single larger block; far fewer than the recovery pool accepts. */
const AHEAD_TRANSACTIONS_MAX = 16_384

/**
 * Starts to recover the signers of seals and transactions of these blocks, and stores them where the import finds them. The
 * import itself recovers what could not be recovered here.
 */
export type RecoverBlocks = (blocks: readonly Block[]) => {
  readonly done: Promise<void>
  /** Called when the import waits for the result. */
  readonly hurry: () => void
}

export type Prefetch = {
  /** Starts recovery for the next block, if it was not started, and for those behind it, in order. */
  begin(block: Block, following: (count: number) => readonly Block[]): void
  /** Resolves when recovery for the block is done; at once if it was not started. */
  ready(block: Block): Promise<void>
}

type Begun = { isDone: boolean; readonly done: Promise<void>; readonly hurry: () => void }

/** Recovers senders and signers of seals on other threads while earlier blocks are executed. */
export const createPrefetch = (recoverBlocks: RecoverBlocks): Prefetch => {
  const begun = new WeakMap<Block, Begun>()
  let transactionsInProgress = 0
  let blocksSinceLook = 0

  const affordable = (blocks: readonly Block[]): readonly Block[] => {
    let transactions = transactionsInProgress
    const end = blocks.findIndex((block, index) => {
      transactions += block.transactions.length
      const isFirst = index === 0 && transactionsInProgress === 0
      return index >= BATCH_BLOCKS || (!isFirst && transactions > AHEAD_TRANSACTIONS_MAX)
    })
    return end < 0 ? blocks : blocks.slice(0, end)
  }

  const start = (blocks: readonly Block[]): void => {
    const { done, hurry } = recoverBlocks(blocks)
    let transactions = 0
    for (const block of blocks) transactions += block.transactions.length
    transactionsInProgress += transactions
    const end = (): void => {
      transactionsInProgress -= transactions
      batch.isDone = true
    }
    // Failures here occur again in the import.
    const batch: Begun = { isDone: false, done: done.then(end, end), hurry }
    for (const block of blocks) begun.set(block, batch)
  }

  return {
    begin: (block, following) => {
      if (begun.has(block) && ++blocksSinceLook < LOOK_BLOCKS) return
      blocksSinceLook = 0
      let fresh = [block, ...following(AHEAD_BLOCKS)].filter(one => !begun.has(one))
      while (fresh[0] === block || fresh.length >= BATCH_BLOCKS) {
        const taken = affordable(fresh)
        if (taken.length === 0) return
        start(taken)
        fresh = fresh.slice(taken.length)
      }
    },
    ready: async block => {
      const batch = begun.get(block)
      if (batch === undefined || batch.isDone) return
      batch.hurry()
      await batch.done
    },
  }
}
