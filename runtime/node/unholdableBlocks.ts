import type { Chain } from '../../core/chain/chain.ts'
import { MemoryUnavailable } from '../../core/evm/interpreter/memory.ts'

/**
 * The chain, and a promise that resolves when it was given a block with a quorum of seals that this machine has not the memory
 * to execute: the node can then neither go on nor say that the block is wrong.
 */
export const watchUnholdableBlocks = (
  chain: Chain,
): { readonly chain: Chain; readonly unholdable: Promise<MemoryUnavailable> } => {
  let resolve: (error: MemoryUnavailable) => void = () => undefined
  const unholdable = new Promise<MemoryUnavailable>(done => {
    resolve = done
  })
  return {
    unholdable,
    chain: {
      ...chain,
      importBlock: async (block, options) => {
        try {
          return await chain.importBlock(block, options)
        } catch (error) {
          // Seals are checked before anything is executed.
          if (error instanceof MemoryUnavailable) resolve(error)
          throw error
        }
      },
    },
  }
}
