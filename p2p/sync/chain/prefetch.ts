import type { Block } from '../../../core/block/block.ts'
import { type RecoverSeals, rememberSealSigners } from '../../../core/chain/rules/seals.ts'
import type { RecoverSenders } from '../../../core/chain/importing/validation.ts'

/** Blocks per batch: a few milliseconds of work for the threads. */
const BATCH_BLOCKS = 32

/** Blocks prefetched ahead of the import: several batches, so that a late thread does not delay it. */
export const AHEAD_BLOCKS = 5 * BATCH_BLOCKS

/** Maximum transactions per batch; far fewer than the recovery pool accepts. */
const AHEAD_TRANSACTIONS_MAX = 8_192

export type Prefetch = {
  /** Starts recovery for the next blocks, in order, once a batch of new ones is full or the first is due. */
  begin(blocks: readonly Block[]): void
  /** Resolves when recovery for the block is done; at once if it was not started. */
  ready(block: Block): Promise<void>
}

/** Recovers senders and signers of seals on other threads while earlier blocks are executed. */
export const createPrefetch = (recoverSenders: RecoverSenders, recoverSeals: RecoverSeals): Prefetch => {
  const begun = new WeakMap<Block, Promise<void>>()

  const affordable = (blocks: readonly Block[]): readonly Block[] => {
    let transactions = 0
    const end = blocks.findIndex((block, index) => {
      transactions += block.transactions.length
      return index >= BATCH_BLOCKS || (index > 0 && transactions > AHEAD_TRANSACTIONS_MAX)
    })
    return end < 0 ? blocks : blocks.slice(0, end)
  }

  const recover = async (blocks: readonly Block[]): Promise<void> => {
    // The import reads the senders from the cache. Failures here occur there again.
    for (const { transactions } of blocks)
      if (transactions.length > 0) recoverSenders(transactions).catch(() => undefined)
    const signers = await recoverSeals(blocks.map(({ header }) => header)).catch(() => [])
    for (const [index, found] of signers.entries())
      if (found !== undefined) rememberSealSigners((blocks[index] as Block).header, found)
  }

  return {
    begin: blocks => {
      const fresh = blocks.filter(block => !begun.has(block))
      const isDue = fresh.length > 0 && fresh[0] === blocks[0]
      if (!isDue && fresh.length < BATCH_BLOCKS) return
      const taken = affordable(fresh)
      const recovered = recover(taken)
      for (const block of taken) begun.set(block, recovered)
    },
    ready: async block => {
      await begun.get(block)
    },
  }
}
