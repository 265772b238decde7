import type { Block } from '../../core/chain/block.ts'
import { rememberSealSigners } from '../../core/chain/rules/seals.ts'
import type { RecoverSeals } from '../threads/recovery/recoverSeals.ts'
import type { RecoverSenders } from '../threads/recovery/recoverSenders.ts'

/** Blocks looked at together, so that the threads have work for some milliseconds. */
const BATCH_BLOCKS = 32

/** Blocks looked ahead of the one that is imported: several batches, so that a thread that is late holds nothing up. */
export const AHEAD_BLOCKS = 5 * BATCH_BLOCKS

/** Transactions looked at together; far fewer than the recovery pool takes. */
const AHEAD_TRANSACTIONS_MAX = 8_192

export type LookAhead = {
  /** The blocks that come next, in order: begins with those that were not begun with, where it is worth it or due. */
  begin(blocks: readonly Block[]): void
  /** Resolves when the block may be imported; at once for one that was not begun with. */
  ready(block: Block): Promise<void>
}

/** Recovers senders and the signers of seals on other threads while the blocks before are executed. */
export const createLookAhead = (recoverSenders: RecoverSenders, recoverSeals: RecoverSeals): LookAhead => {
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
    // The import asks for the senders of each, and finds them; what fails here it finds by itself, too.
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
