import type { Chain } from '../../../core/chain/chain.ts'
import { MemoryUnavailable } from '../../../core/evm/interpreter/memory.ts'

/**
 * Wraps the chain with a promise that resolves if a block with a quorum of seals needs more memory than this machine has: the
 * node can then neither continue nor reject the block.
 */
export const watchMemoryExceeded = (
  chain: Chain,
): { readonly chain: Chain; readonly memoryExceeded: Promise<MemoryUnavailable> } => {
  let resolve: (error: MemoryUnavailable) => void = () => undefined
  const memoryExceeded = new Promise<MemoryUnavailable>(done => {
    resolve = done
  })
  return {
    memoryExceeded,
    chain: {
      ...chain,
      importBlock: async (block, options) => {
        try {
          return await chain.importBlock(block, options)
        } catch (error) {
          // The seals have been verified: that precedes execution.
          if (error instanceof MemoryUnavailable) resolve(error)
          throw error
        }
      },
    },
  }
}
